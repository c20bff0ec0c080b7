"""An excerpt of a text, identified by which occurrence it is, so that it can be found in another version of the text."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Words at one of the `count` places where a text has them, the `index`-th from 0."""

    words: str
    index: int
    count: int

    @classmethod
    def of(cls, text: str, start: int, words: str) -> Excerpt | None:
        """The words that a text has there, if it has them there.

        >>> Excerpt.of("SELECT a, c FROM hw_source_1 a WHERE c > a", 37, "c")
        Excerpt(words='c', index=1, count=2)
        """
        places = _places(text, words)
        return cls(words, places.index(start), len(places)) if start in places else None

    def find(self, text: str) -> int | None:
        """Its position in another version of the text; None if that has a different number of occurrences.

        >>> excerpt = Excerpt("c", 1, 2)
        >>> excerpt.find("SELECT a, c FROM t a WHERE c > a"), excerpt.find("SELECT c FROM t")
        (27, None)
        """
        places = _places(text, self.words)
        return places[self.index] if len(places) == self.count else None


def _places(text: str, words: str) -> list[int]:
    return [found.start() for found in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", text)] if words else []
