"""Tokenize SQL text with sqlglot, and refuse text that is too long or too deeply nested."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from sqlglot import TokenType
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token as RawToken
from sqlglot.tokens import Tokenizer

from headwater.core.errors import InvalidRequest, Position, SqlSyntaxError
from headwater.sql.grammar import grammar

DIALECTS = ("duckdb", "spark")
MAX_BYTES = 1_000_000
# sqlglot's parser uses about twenty frames for each parenthesis, and Python's limit is a thousand.
MAX_DEPTH = 32

# PostgreSQL can't store NUL, and UTF-8 can't encode half of a surrogate pair.
_NEVER_STORED = re.compile("[\\0\ud800-\udfff]")
_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})


class TokenKind(Enum):
    """The kind of a token in Headwater's grammar."""

    WORD = "word"
    QUOTED = "quoted name"
    STRING = "string"
    NUMBER = "number"
    SYMBOL = "symbol"
    END = "end"


_KINDS = {
    TokenType.IDENTIFIER: TokenKind.QUOTED,
    TokenType.STRING: TokenKind.STRING,
    TokenType.HEREDOC_STRING: TokenKind.STRING,
    TokenType.NUMBER: TokenKind.NUMBER,
}


@dataclass(frozen=True, slots=True)
class Token:
    """One word, literal or symbol; `start` and `end` are offsets, `raw` is the index of sqlglot's token."""

    kind: TokenKind
    text: str
    start: int
    end: int
    raw: int


@dataclass(frozen=True, slots=True)
class Tokens:
    """A script, tokenized."""

    text: str
    dialect: str
    tokens: tuple[Token, ...]
    raw: tuple[RawToken, ...]

    def position(self, token: Token) -> Position:
        return position_at(self.text, token.start)


def position_at(text: str, offset: int) -> Position:
    """The line and column of an offset.

    >>> position_at("a\\nbc", 3)
    Position(line=2, column=2)
    """
    return Position(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def tokenize(text: str, dialect: str, *, double_quoted_names: bool = False) -> Tokens:
    """The tokens of a script; raises an error if it is too long, too deeply nested, or not SQL.

    `double_quoted_names` says whether double quotes enclose names in Spark's dialect, or strings.
    """
    if dialect not in DIALECTS:
        raise InvalidRequest(f'dialect "{dialect}" is not known', hint=f"Choose one of {', '.join(DIALECTS)}.")
    _refuse_hostile(text)
    tokenizer = _TOKENIZERS[dialect, double_quoted_names](dialect)
    try:
        raw = tokenizer.tokenize(text)
    except TokenError:
        raise _unfinished(text, tokenizer.tokens) from None
    _refuse_depth(text, raw)
    return Tokens(
        text, dialect, tuple(token for index, one in enumerate(raw) for token in _split(text, index, one)), tuple(raw)
    )


def _without_commands(dialect: str, double_quoted_names: bool) -> type[Tokenizer]:
    """The dialect's tokenizer without commands such as EXPLAIN, which it would read as one token up to the semicolon."""
    found = grammar(dialect, double_quoted_names=double_quoted_names)
    return type("Tokenizer", (found.tokenizer_class,), {"COMMANDS": set()})


_TOKENIZERS = {(dialect, names): _without_commands(dialect, names) for dialect in DIALECTS for names in (False, True)}


def _refuse_hostile(text: str) -> None:
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise SqlSyntaxError(
            "the SQL text is too long",
            detail=f"The limit is {MAX_BYTES:,} bytes.",
            hint="Split it into several parts.",
            position=Position(1, 1),
        )
    if found := _NEVER_STORED.search(text):
        raise SqlSyntaxError(
            f"character U+{ord(found[0]):04X} is not allowed in SQL",
            hint="Remove it.",
            position=position_at(text, found.start()),
        )


def _unfinished(text: str, before: list[RawToken]) -> SqlSyntaxError:
    start = before[-1].end + 1 if before else 0
    start += len(text[start:]) - len(text[start:].lstrip())
    return SqlSyntaxError(
        "the text ends inside a string, a quoted name or a comment",
        hint="Close the string, name or comment that begins here.",
        position=position_at(text, start),
    )


def _refuse_depth(text: str, raw: list[RawToken]) -> None:
    depth = 0
    for token in raw:
        if token.token_type in _OPENING:
            depth += 1
            if depth > MAX_DEPTH:
                raise too_deep(position_at(text, token.start))
        elif token.token_type in _CLOSING:
            depth -= 1


def too_deep(position: Position) -> SqlSyntaxError:
    """The error for text that is nested too deeply."""
    return SqlSyntaxError(
        "the SQL text is nested too deeply",
        detail=f"The limit is {MAX_DEPTH} levels.",
        hint="Move inner parts to views or common table expressions.",
        position=position,
    )


def _split(text: str, index: int, raw: RawToken) -> list[Token]:
    """The tokens for one of sqlglot's, which reads PRIMARY KEY as one word."""
    start, end = raw.start, raw.end + 1
    if (kind := _KINDS.get(raw.token_type)) is not None:
        return [Token(kind, raw.text, start, end, index)]
    source = text[start:end]
    parts = source.split()
    if not all(part.replace("$", "_").isidentifier() for part in parts):
        return [Token(TokenKind.SYMBOL, source, start, end, index)]
    found, offset = [], start
    for part in parts:
        offset = text.index(part, offset)
        found.append(Token(TokenKind.WORD, part, offset, offset + len(part), index))
        offset += len(part)
    return found
