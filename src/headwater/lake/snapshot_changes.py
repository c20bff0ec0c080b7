"""The `changes_made` text of a snapshot: what the commit changed. Used for conflict checks and to find changed tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

from headwater.core.errors import FeatureRefused
from headwater.core.names import TableName, quote

INSERTS = frozenset({"inserted_into_table", "inlined_insert"})
DELETES = frozenset({"deleted_from_table", "inlined_delete"})
COMPACTIONS = frozenset({"compacted_table", "merge_adjacent", "rewrite_delete", "inline_flush", "flushed_inlined"})


class ObjectKind(Enum):
    """What a commit changed."""

    SCHEMA = auto()
    TABLE = auto()
    VIEW = auto()
    MACRO = auto()


_NAMES = {
    "schema": ObjectKind.SCHEMA,
    "table": ObjectKind.TABLE,
    "view": ObjectKind.VIEW,
    "scalar_macro": ObjectKind.MACRO,
    "table_macro": ObjectKind.MACRO,
}
_CREATIONS = frozenset(f"created_{name}" for name in _NAMES)
# Every other kind, such as an insert, is about a table.
_OBJECTS = {f"{verb}_{name}": kind for name, kind in _NAMES.items() for verb in ("created", "dropped", "altered")}


@dataclass(frozen=True, slots=True)
class Entry:
    """One change of a commit: its kind, and the id or the name of the changed object."""

    kind: str
    id: int | None = None
    name: tuple[str, ...] = ()

    @property
    def object_kind(self) -> ObjectKind:
        """The kind of the changed object."""
        return _OBJECTS.get(self.kind, ObjectKind.TABLE)

    @property
    def creates(self) -> bool:
        """Whether the change created the object."""
        return self.kind in _CREATIONS

    @staticmethod
    def named(kind: str, *name: str) -> Entry:
        return Entry(kind, name=name)

    @staticmethod
    def created(kind: str, name: TableName) -> Entry:
        return Entry(kind, name=(name.schema, name.name))

    def __str__(self) -> str:
        target = str(self.id) if self.id is not None else ".".join(quote(part) for part in self.name)
        return f"{self.kind}:{target}"


def render(entries: Iterable[Entry]) -> str:
    """The text that the catalog stores.

    >>> render([Entry.named("created_table", "main", "t"), Entry("inserted_into_table", 2)])
    'created_table:"main"."t",inserted_into_table:2'
    """
    return ",".join(map(str, entries))


def parse(text: str | None) -> tuple[Entry, ...]:
    """The changes in a text; commas, dots and quotes inside quoted names are part of the name.

    >>> parse('created_table:"a,b"."c""d",dropped_view:7')[0].name
    ('a,b', 'c"d')
    """
    entries: list[Entry] = []
    rest = (text or "").strip()
    while rest:
        kind, separator, rest = rest.partition(":")
        if not separator:
            raise _unreadable(text)
        if rest.startswith('"'):
            name, rest = _names(rest, text)
            entries.append(Entry(kind, name=name))
        else:
            target, _, _ = rest.partition(",")
            rest = rest[len(target) :]
            if not target.isdigit() or kind in _CREATIONS:
                raise _unreadable(text)
            entries.append(Entry(kind, id=int(target)))
        rest = rest.removeprefix(",")
    return tuple(entries)


def _names(rest: str, whole: str | None) -> tuple[tuple[str, ...], str]:
    parts: list[str] = []
    while rest.startswith('"'):
        at, part = 1, ""
        while True:
            end = rest.find('"', at)
            if end < 0:
                raise _unreadable(whole)
            part += rest[at:end]
            if rest[end + 1 : end + 2] != '"':
                break
            part, at = part + '"', end + 2
        parts.append(part)
        rest = rest[end + 1 :].removeprefix(".")
    return tuple(parts), rest


def _unreadable(text: str | None) -> FeatureRefused:
    return FeatureRefused(
        "a snapshot's list of changes can't be read",
        detail=f"ducklake_snapshot_changes contains {text!r}.",
        hint="Report this as a bug.",
    )
