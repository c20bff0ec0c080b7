"""A cursor over a tokenized statement, with the parsing steps of Headwater's grammar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sqlglot.tokenizer_core import Token as RawToken

from headwater.core.errors import Position, SqlSyntaxError, SqlUnsupported
from headwater.core.reserved import RESERVED
from headwater.sql.statements import ObjectName, SchemaName
from headwater.sql.tokens import Token, TokenKind, Tokens

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a statement that sqlglot parses: the text as written, and sqlglot's tokens."""

    text: str
    script: str
    tokens: tuple[Token, ...]
    raw: tuple[RawToken, ...]
    position: Position
    dialect: str


class Cursor:
    """Reads the tokens of one statement of a script."""

    def __init__(self, script: Tokens, statement: Sequence[Token]) -> None:
        self._script = script
        self._tokens = statement
        self._at = 0
        end = statement[-1].end if statement else len(script.text)
        self._end = Token(TokenKind.END, "", end, end, -1)

    @property
    def dialect(self) -> str:
        return self._script.dialect

    @property
    def here(self) -> Token:
        return self.ahead(0)

    @property
    def done(self) -> bool:
        return self._at >= len(self._tokens)

    @property
    def words_so_far(self) -> str:
        """The statement up to and including this token, to name its kind."""
        return " ".join(token.text.upper() for token in self._tokens[: self._at + 1])

    @property
    def position(self) -> Position:
        """The position of this token in the script."""
        return self._script.position(self.here)

    def ahead(self, count: int) -> Token:
        at = self._at + count
        return self._tokens[at] if at < len(self._tokens) else self._end

    def advance(self) -> Token:
        token = self.here
        self._at += 1
        return token

    def at_words(self, *words: str) -> bool:
        """Whether these words are next, unquoted."""
        return all(
            self.ahead(count).kind is TokenKind.WORD and self.ahead(count).text.upper() == word
            for count, word in enumerate(words)
        )

    def take_words(self, *words: str) -> bool:
        """Consume these words if they are next."""
        if found := self.at_words(*words):
            self._at += len(words)
        return found

    def expect_words(self, *words: str) -> None:
        for word in words:
            if not self.take_words(word):
                raise self.unexpected(word)

    def at_symbol(self, *symbols: str) -> bool:
        return self.here.kind is TokenKind.SYMBOL and self.here.text in symbols

    def take_symbol(self, symbol: str) -> bool:
        """Consume this symbol if it is next."""
        if found := self.at_symbol(symbol):
            self._at += 1
        return found

    def expect_symbol(self, symbol: str) -> None:
        if not self.take_symbol(symbol):
            raise self.unexpected(f'"{symbol}"')

    def expect_end(self) -> None:
        if not self.done:
            raise self.unexpected("the end of the statement")

    def identifier(self, what: str) -> str:
        """A name, quoted or not, with its case preserved."""
        token = self.here
        if token.kind is TokenKind.WORD and token.text.lower() in RESERVED:
            raise self.syntax(f'"{token.text}" is a reserved word', hint=f"Quote it if it names the {what}.")
        if token.kind not in (TokenKind.WORD, TokenKind.QUOTED):
            raise self.unexpected(f"the name of the {what}")
        if not token.text:
            raise self.syntax(f"the name of the {what} is empty", hint="Give it a name.")
        return self.advance().text

    def path(self, what: str, longest: int) -> tuple[str, ...]:
        """A name of one or more parts, separated by dots."""
        start = self.here
        parts = [self.identifier(what)]
        while self.take_symbol("."):
            parts.append(self.identifier(what))
        if len(parts) > longest:
            message = f"the name of the {what} has {len(parts)} parts"
            raise self.syntax(message, hint=f"Use at most {longest}.", token=start)
        return tuple(parts)

    def schema_name(self) -> SchemaName:
        *before, name = self.path("schema", 2)
        return SchemaName(name, *reversed(before))

    def object_name(self, what: str) -> ObjectName:
        *before, name = self.path(what, 3)
        return ObjectName(name, *reversed(before))

    def string(self, what: str) -> str:
        if self.here.kind is not TokenKind.STRING:
            raise self.unexpected(f"the {what} as a string")
        return self.advance().text

    def integer(self, what: str) -> int:
        text = self.here.text
        if self.here.kind is not TokenKind.NUMBER or not (text.isascii() and text.isdigit()) or len(text) > 9:
            raise self.unexpected(f"the {what} as a whole number")
        self.advance()
        return int(text)

    def listed(self, part: Callable[[], Part], opening: str = "(", closing: str = ")") -> tuple[Part, ...]:
        """One or more parts in parentheses; a trailing comma is allowed, as in DuckDB."""
        self.expect_symbol(opening)
        parts = [part()]
        while self.take_symbol(",") and not self.at_symbol(closing):
            parts.append(part())
        self.expect_symbol(closing)
        return tuple(parts)

    def span(self, what: str, stop: Callable[[], bool]) -> Span:
        """The non-empty span up to the first token outside parentheses for which `stop` is true."""
        first, depth = self._at, 0
        while not self.done:
            if depth == 0 and (self.at_symbol(")", "]", "}", ",") or (self._at > first and stop())):
                break
            depth += self.at_symbol("(", "[", "{") or self.at_words("CASE")
            depth -= self.at_symbol(")", "]", "}") or self.at_words("END")
            self.advance()
        return self._span(first, what)

    def rest(self, what: str) -> Span:
        """The non-empty rest of the statement."""
        first, self._at = self._at, len(self._tokens)
        return self._span(first, what)

    def _span(self, first: int, what: str) -> Span:
        tokens = tuple(self._tokens[first : self._at])
        if not tokens:
            raise self.unexpected(f"the {what}")
        return Span(
            self._script.text[tokens[0].start : tokens[-1].end],
            self._script.text,
            tokens,
            self._script.raw[tokens[0].raw : tokens[-1].raw + 1],
            self._script.position(tokens[0]),
            self.dialect,
        )

    def syntax(
        self, message: str, *, hint: str, detail: str | None = None, token: Token | None = None
    ) -> SqlSyntaxError:
        position = self._script.position(token or self.here)
        return SqlSyntaxError(message, detail=detail, hint=hint, position=position)

    def unsupported(
        self, message: str, *, hint: str, detail: str | None = None, token: Token | None = None
    ) -> SqlUnsupported:
        position = self._script.position(token or self.here)
        return SqlUnsupported(message, detail=detail, hint=hint, position=position)

    def unexpected(self, wanted: str) -> SqlSyntaxError:
        found = "the statement ends" if self.done else f'found "{short(self.here.text)}"'
        return self.syntax(f"expected {wanted}, {found}", hint="Check the statement from this position.")


def short(text: str) -> str:
    """The text shortened to one line for a message.

    >>> short("a" * 100)
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'
    """
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"
