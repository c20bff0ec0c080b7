"""Parse the text of a query into a sqlglot tree with positions, and refuse other statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import TokenType, exp
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.tokenizer_core import Token as RawToken

from headwater.core.errors import DefinitionRefused, InvalidRequest, Position, SqlError, SqlSyntaxError
from headwater.sql.cursor import short
from headwater.sql.grammar import grammar
from headwater.sql.tokens import Token, TokenKind, position_at, tokenize, too_deep

QUERY_DIALECTS = ("spark", "duckdb", "snowflake")
RELATION_PREFIX = "hw_source_"
MARKER_PREFIX = "__hw_"

# `sql.tokens` does not support Snowflake; DuckDB's tokens suffice to count parentheses and find names.
_TOKENIZED_AS = {"snowflake": "duckdb"}
_WRITES = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.DDL, exp.Into, exp.Command, exp.MultitableInserts)
_PARAMETERS = (exp.Placeholder, exp.Parameter, exp.SessionParameter)
_PARAMETER_TOKENS = frozenset({TokenType.PLACEHOLDER, TokenType.PARAMETER, TokenType.COLON})
# Spark resolves these names to columns first, and to functions if there is no such column; the tree must have columns.
_BARE_FUNCTIONS = frozenset(
    {
        TokenType.CURRENT_DATE,
        TokenType.CURRENT_DATETIME,
        TokenType.CURRENT_ROLE,
        TokenType.CURRENT_TIME,
        TokenType.CURRENT_TIMESTAMP,
        TokenType.CURRENT_USER,
        TokenType.LOCALTIME,
        TokenType.LOCALTIMESTAMP,
        TokenType.SESSION_USER,
    }
)
# Internal errors of sqlglot's parser, as for map('a').
_SLIPS = (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError)
# Spark replaces ${x} by a setting, also in strings; clock markers are replaced in the text.
_NEVER_IN_A_QUERY = re.compile(rf"\$\{{|{MARKER_PREFIX}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """One query: its tree, and the tokens that locate its parts in the text."""

    text: str
    dialect: str
    origin: Position
    tokens: tuple[Token, ...]
    tree: exp.Expr
    double_quoted_names: bool = False

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def end(self) -> int:
        return self.tokens[-1].end

    def position(self, offset: int) -> Position:
        """The position of an offset in the script that contains the query."""
        return shift(position_at(self.text, offset), self.origin)

    def place(self, node: exp.Expr) -> Position:
        """The position of the first word below the node that has one in sqlglot, or of the query."""
        starts = [part.meta["start"] for part in node.walk() if "start" in part.meta]
        return self.position(min(starts, default=self.start))

    def calls(self) -> Iterator[tuple[int, str]]:
        """The index and lower-case name of each token that may be a function: one followed by a parenthesis."""
        for index, (token, following) in enumerate(zip(self.tokens, self.tokens[1:], strict=False)):
            if (
                token.kind in (TokenKind.WORD, TokenKind.QUOTED)
                and following.text == "("
                and following.kind is TokenKind.SYMBOL
            ):
                before = self.tokens[index - 1] if index else None
                if before is None or before.kind is not TokenKind.WORD or before.text.upper() != "AS":
                    yield index, token.text.lower()

    def refused(self, message: str, position: Position, *, hint: str, detail: str | None = None) -> DefinitionRefused:
        return DefinitionRefused(message, detail=detail, hint=hint, position=position)


def shift(position: Position, origin: Position) -> Position:
    """Convert a position in a part of a script that begins at `origin` to one in the script.

    >>> shift(Position(1, 3), Position(5, 10)), shift(Position(2, 3), Position(5, 10))
    (Position(line=5, column=12), Position(line=6, column=3))
    """
    column = position.column + (origin.column - 1 if position.line == 1 else 0)
    return Position(position.line + origin.line - 1, column)


def parse_query(
    text: str, dialect: str, origin: Position, *, allow_parameters: bool = False, double_quoted_names: bool = False
) -> ParsedQuery:
    """Parse the single query in the text; `double_quoted_names` says what double quotes enclose in Spark's dialect."""
    if dialect not in QUERY_DIALECTS:
        raise InvalidRequest(f'dialect "{dialect}" is not known', hint=f"Choose one of {', '.join(QUERY_DIALECTS)}.")
    try:
        tokens = tokenize(text, _TOKENIZED_AS.get(dialect, dialect), double_quoted_names=double_quoted_names)
    except SqlError as error:
        error.position = shift(error.position or Position(1, 1), origin)
        raise
    if found := _NEVER_IN_A_QUERY.search(text):
        what = "parameters" if found[0] == "${" else f'the reserved prefix "{MARKER_PREFIX}"'
        raise DefinitionRefused(
            f"the query of a dynamic table can't contain {what}",
            hint="Write the value in the query." if found[0] == "${" else "Choose another name.",
            position=shift(position_at(text, found.start()), origin),
        )
    statement = _one_statement(text, tokens.tokens, origin)
    tree = _parse(text, dialect, origin, statement, double_quoted_names)
    query = ParsedQuery(text, dialect, origin, statement, tree, double_quoted_names)
    if not allow_parameters:
        _refuse_parameters(query)
    _refuse_other_than_reading(query)
    _refuse_names_of_ours(query)
    return query


def _one_statement(text: str, tokens: tuple[Token, ...], origin: Position) -> tuple[Token, ...]:
    ends = [token.kind is TokenKind.SYMBOL and token.text == ";" for token in tokens]
    if all(ends):
        raise DefinitionRefused("the query is empty", hint="Write a SELECT.", position=origin)
    first = ends.index(False)
    last = len(ends) - ends[::-1].index(False)
    if any(ends[first:last]):
        second = ends.index(False, ends.index(True, first))
        raise DefinitionRefused(
            "the query is more than one statement",
            hint="Write one SELECT.",
            position=shift(position_at(text, tokens[second].start), origin),
        )
    return tokens[first:last]


def _parse(
    text: str, dialect: str, origin: Position, statement: tuple[Token, ...], double_quoted_names: bool
) -> exp.Expr:
    start, end = statement[0].start, statement[-1].end
    found = grammar(dialect, double_quoted_names=double_quoted_names)
    try:
        raw = [token for token in found.tokenizer().tokenize(text) if start <= token.start < end]
        trees = found.parser().parse([_as_name(token) for token in raw] if dialect == "spark" else raw, text)
    except ParseError as error:
        raise _located(error, origin) from None
    except RecursionError:
        raise too_deep(shift(position_at(text, start), origin)) from None
    except (SqlglotError, *_SLIPS):
        raise SqlSyntaxError("syntax error", hint="Check the query.", position=origin) from None
    tree = trees[0] if len(trees) == 1 else None
    if not isinstance(tree, exp.Expr):
        raise SqlSyntaxError("syntax error", hint="Check the query.", position=origin)
    for hint in list(tree.find_all(exp.Hint)):
        # The parts of a hint have positions in the hint, not in the text.
        hint.pop()
    return tree


def _as_name(token: RawToken) -> RawToken:
    if token.token_type not in _BARE_FUNCTIONS:
        return token
    return RawToken(TokenType.VAR, token.text, token.line, token.col, token.start, token.end, token.comments)


def _located(error: ParseError, origin: Position) -> SqlSyntaxError:
    facts = error.errors[0] if error.errors else {}
    near = str(facts.get("highlight") or "")
    line, end = facts.get("line"), facts.get("col")
    position = Position(line, max(end - len(near) + 1, 1)) if line and end else Position(1, 1)
    message = f'syntax error near "{short(near)}"' if near else "syntax error"
    return SqlSyntaxError(message, hint="Check the query from this position.", position=shift(position, origin))


def _refuse_parameters(query: ParsedQuery) -> None:
    if (parameter := query.tree.find(*_PARAMETERS)) is not None:
        raw = grammar(query.dialect, double_quoted_names=query.double_quoted_names).tokenizer().tokenize(query.text)
        at = next((token.start for token in raw if token.token_type in _PARAMETER_TOKENS), query.start)
        raise query.refused(
            "the query of a dynamic table can't contain parameters",
            query.place(parameter) if "start" in parameter.meta else query.position(at),
            hint="Write the value in the query.",
        )


def _refuse_other_than_reading(query: ParsedQuery) -> None:
    tree = query.tree
    if not isinstance(tree, exp.Query | exp.Values) or tree.find(*_WRITES):
        into = (token.start for token in query.tokens if token.kind is TokenKind.WORD and token.text.upper() == "INTO")
        at = next(into, query.start) if tree.find(exp.Into) else query.start
        raise query.refused(
            "the query of a dynamic table must only read", query.position(at), hint="Write AS SELECT …."
        )
    if any(not select.expressions and not select.args.get("kind") for select in tree.find_all(exp.Select)):
        raise SqlSyntaxError("SELECT without columns", hint="Name the columns.", position=query.position(query.start))
    if (script := tree.find(exp.QueryTransform)) is not None:
        raise query.refused("TRANSFORM … USING is not supported", query.place(script), hint="Use Spark's functions.")
    for token in query.tokens:
        if token.kind is TokenKind.SYMBOL and token.text == "|>":
            raise query.refused(
                "pipe syntax is not supported", query.position(token.start), hint="Write it as SELECT … FROM …."
            )


def _refuse_names_of_ours(query: ParsedQuery) -> None:
    for token in query.tokens:
        if token.kind in (TokenKind.WORD, TokenKind.QUOTED) and token.text.lower().startswith(RELATION_PREFIX):
            raise query.refused(
                f'the name "{short(token.text)}" is reserved',
                query.position(token.start),
                hint=f'Choose one that does not begin with "{RELATION_PREFIX}".',
            )
