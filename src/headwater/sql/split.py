"""Split a script into statements, without parsing them."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.core.errors import Position
from headwater.sql.tokens import Token, TokenKind, Tokens, tokenize


@dataclass(frozen=True, slots=True)
class ScriptStatement:
    """One statement of a script: its text without surrounding space and comments, and its position."""

    script: Tokens
    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        return self.script.text[self.tokens[0].start : self.tokens[-1].end]

    @property
    def verb(self) -> str:
        """The first word in upper case, such as CREATE or SELECT."""
        return self.tokens[0].text.upper()

    @property
    def position(self) -> Position:
        return self.script.position(self.tokens[0])


def split(text: str, dialect: str = "duckdb") -> tuple[ScriptStatement, ...]:
    """The statements of a script, in order, without empty ones and comments.

    >>> [piece.text for piece in split("SELECT ';' ; ; -- done;")]
    ["SELECT ';'"]
    """
    script = tokenize(text, dialect)
    pieces, tokens = [], []
    for token in script.tokens:
        if token.kind is not TokenKind.SYMBOL or token.text != ";":
            tokens.append(token)
        elif tokens:
            pieces.append(ScriptStatement(script, tuple(tokens)))
            tokens = []
    return (*pieces, ScriptStatement(script, tuple(tokens))) if tokens else tuple(pieces)
