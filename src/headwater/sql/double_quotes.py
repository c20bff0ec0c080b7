"""Rewrite names in double quotes as names in backquotes, which Spark reads as names in every session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from headwater.core.names import backquote
from headwater.sql.splice import Edit
from headwater.sql.tokens import Token, TokenKind


def backquotes(text: str, tokens: Iterable[Token], others: Iterable[Edit] = ()) -> Iterator[Edit]:
    """The edits of the names in double quotes that are not part of another edit.

    >>> from headwater.sql.tokens import tokenize
    >>> text = 'SELECT "a", `b` FROM t'
    >>> [edit.text for edit in backquotes(text, tokenize(text, "spark", double_quoted_names=True).tokens)]
    ['`a`']
    """
    replaced = [(edit.start, edit.end) for edit in others]
    for token in tokens:
        if (
            token.kind is TokenKind.QUOTED
            and text[token.start] == '"'
            and not any(start <= token.start < end for start, end in replaced)
        ):
            yield Edit(token.start, token.end, backquote(token.text))
