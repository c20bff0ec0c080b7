"""An excerpt of a text, with the number of its occurrence, by which it can be found in another version of the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

_PART = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Words that occur `count` times in a text, at their occurrence `index`, counted from 0."""

    words: str
    index: int
    count: int

    @classmethod
    def of(cls, text: str, start: int, words: str) -> Excerpt | None:
        """The excerpt for words at an offset; None if the text has other words there.

        >>> Excerpt.of("SELECT a, c FROM hw_source_1 a WHERE c > a", 37, "c")
        Excerpt(words='c', index=1, count=2)
        """
        places = _places(text, words)
        return cls(words, places.index(start), len(places)) if start in places else None

    def find(self, text: str) -> int | None:
        """The offset in another version of the text; None if that has a different number of occurrences.

        >>> excerpt = Excerpt("c", 1, 2)
        >>> excerpt.find("SELECT a, c FROM t a WHERE c > a"), excerpt.find("SELECT c FROM t")
        (27, None)
        """
        places = _places(text, self.words)
        return places[self.index] if len(places) == self.count else None


def _places(text: str, words: str) -> list[int]:
    """Where the words are, in any case and with any space between them.

    >>> _places("SELECT 1 % (a-5), 10 % (a - 5)", "10 % (a-5)")
    [18]
    """
    parts = _PART.findall(words)
    if not parts:
        return []
    pattern = re.escape(parts[0])
    for before, part in pairwise(parts):
        gap = r"\s+" if _is_word(before) and _is_word(part) else r"\s*"
        pattern += gap + re.escape(part)
    return [found.start() for found in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)]


def _is_word(part: str) -> bool:
    return part[0] == "_" or part[0].isalnum()
