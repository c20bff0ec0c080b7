"""Replace parts of a text, and keep the rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """New text for the range from `start` to before `end`."""

    start: int
    end: int
    text: str


def splice(text: str, edits: Iterable[Edit], start: int, end: int) -> str:
    """The text from `start` to before `end`, with edits that do not overlap.

    >>> splice("SELECT a FROM t -- done", [Edit(14, 15, "u")], 0, 15)
    'SELECT a FROM u'
    """
    parts, at = [], start
    for edit in sorted(edits):
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:end]])
