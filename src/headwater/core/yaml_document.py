"""Read YAML strictly: one document of plain values, with the position of every key and value.

Plain scalars are read by the core schema of YAML 1.2: `on` and `2024-01-01` are strings, `010` is ten.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from headwater.core.errors import Position

MAX_BYTES = 1_000_000
MAX_DEPTH = 50
Path = tuple[str | int, ...]

_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_LONGEST_NUMBER = 100
# Line ends are \n and \r\n alone, so that lines count as in the editor; U+0085, U+2028 and U+2029 end lines in YAML 1.1.
_REFUSED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]|\r(?!\n)")
# A byte that is not UTF-8, in text that was decoded with errors="surrogateescape".
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_NEVER_STORED = re.compile("[\x00\ud800-\udfff]")


class YamlError(Exception):
    """Why a text is not a YAML document that can be read; callers turn it into an error with a code."""

    def __init__(self, message: str, position: Position, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.hint = hint


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """The value of a document: dicts, lists and scalars.

    A path is the keys and indexes that lead to a value; the document itself has the empty path. `written` has the text of
    unquoted numbers, which their values may not show: `007`, `1.10`.
    """

    value: Any
    keys: Mapping[Path, Position]
    values: Mapping[Path, Position]
    written: Mapping[Path, str]

    def position(self, path: Path) -> Position:
        """Where the key is, or the item of a list; for a path that the document lacks, where its closest parent is.

        >>> read_yaml("a:\\n  b: 1").position(("a", "b", "c"))
        Position(line=2, column=3)
        """
        while path and path not in self.keys and path not in self.values:
            path = path[:-1]
        return self.keys.get(path) or self.values[path]

    def value_position(self, path: Path) -> Position:
        """Where the value begins; a quoted one at its quote."""
        return self.values.get(path) or self.position(path)


def read_yaml(text: str) -> YamlDocument:
    """The one document of a text, or a YamlError. Decode bytes with `errors="surrogateescape"`.

    >>> document = read_yaml("on: [yes, 1.5]")
    >>> document.value, document.position(("on",)), document.value_position(("on", 1))
    ({'on': ['yes', 1.5]}, Position(line=1, column=1), Position(line=1, column=11))
    """
    text = text.removeprefix("\ufeff")
    _refuse_characters(text)
    reader = _Reader()
    loader = yaml.SafeLoader(text)
    try:
        for event in _events(loader):
            reader.take(event)
    finally:
        loader.dispose()
    return YamlDocument(reader.root, reader.keys, reader.values, reader.written)


def _refuse_characters(text: str) -> None:
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise YamlError(f"the text is longer than {MAX_BYTES:,} bytes", Position(1, 1), "Split it.")
    if (found := _REFUSED.search(text)) is None:
        return
    at = Position(text.count("\n", 0, found.start()) + 1, found.start() - text.rfind("\n", 0, found.start()))
    if _NOT_UTF8.match(found[0]):
        raise YamlError("the text is not UTF-8", at, "Save it as UTF-8.")
    raise YamlError(
        f"character U+{ord(found[0]):04X} is not allowed", at, "Remove it, or write it as an escape in double quotes."
    )


def _events(loader: Any) -> Iterator[Event]:
    try:
        while loader.check_event():
            yield loader.get_event()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)
        said = ", ".join(part for part in (error.context, error.problem) if part)
        raise YamlError(f"the YAML can't be parsed: {said}", at, _SYNTAX_HINT) from None
    except (yaml.YAMLError, ValueError, OverflowError):
        # An escape such as "\UFFFFFFFF", which names no character.
        at = Position(loader.line + 1, loader.column + 1)
        raise YamlError("the YAML can't be parsed: invalid escape", at, "Correct the escape.") from None


_SYNTAX_HINT = (
    "Check indentation, which takes spaces alone, and quotes; quote a text that has a colon and a space in it, "
    "or begins with one of > | ! & * % @ ` [ {."
)


@dataclass(slots=True)
class _Open:
    """A mapping or list that has not ended."""

    path: Path
    items: Any
    key: str | None = None

    def place(self) -> Path:
        """The path of the next value."""
        return (*self.path, len(self.items) if isinstance(self.items, list) else self.key or "")


@dataclass(slots=True)
class _Reader:
    """Builds the values from the parser's events, so that nothing is built of what is refused."""

    root: Any = None
    keys: dict[Path, Position] = field(default_factory=dict)
    values: dict[Path, Position] = field(default_factory=lambda: {(): Position(1, 1)})
    written: dict[Path, str] = field(default_factory=dict)
    open: list[_Open] = field(default_factory=list)
    documents: int = 0

    def take(self, event: Event) -> None:
        match event:
            case DocumentStartEvent():
                self._start(event)
            case MappingEndEvent() | SequenceEndEvent():
                self.open.pop()
            case NodeEvent():
                _refuse_node(event)
                if self.open and isinstance(self.open[-1].items, dict) and self.open[-1].key is None:
                    self._key(self.open[-1], event)
                else:
                    self._value(event)
            case _:
                pass

    def _start(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            _refuse(event, "there is more than one document", "Remove the line --- and what follows it.")
        if event.version or event.tags:
            _refuse(event, "directives are not supported", "Remove the line that begins with %.")

    def _key(self, within: _Open, event: Any) -> None:
        key = _scalar(event) if isinstance(event, ScalarEvent) else None
        if not isinstance(event, ScalarEvent) or not isinstance(key, str):
            _refuse(event, "a key is not a string", "Quote the key.")
        path = (*within.path, key)
        if path in self.keys:
            first = self.keys[path].line
            _refuse(
                event, f'the key "{_short(key)}" is written twice', f"Remove one of them; the first is at line {first}."
            )
        self.keys[path] = _position(event)
        within.key = key

    def _value(self, event: Any) -> None:
        path = self.open[-1].place() if self.open else ()
        self.values[path] = _position(event)
        value: Any
        match event:
            case MappingStartEvent():
                value = {}
            case SequenceStartEvent():
                value = []
            case _:
                value = _scalar(event)
                if type(value) in (int, float):
                    self.written[path] = event.value
        self._put(value)
        if not isinstance(event, ScalarEvent):
            if len(self.open) == MAX_DEPTH:
                _refuse(event, f"values are nested more than {MAX_DEPTH} levels deep", "Use fewer levels.")
            self.open.append(_Open(path, value))

    def _put(self, value: Any) -> None:
        if not self.open:
            self.root = value
        elif isinstance(within := self.open[-1].items, list):
            within.append(value)
        else:
            within[self.open[-1].key] = value
            self.open[-1].key = None


def _refuse_node(event: Any) -> None:
    if isinstance(event, AliasEvent):
        _refuse(
            event, f'the alias "*{_short(event.anchor)}" is not supported', "Write the value, or quote a text with *."
        )
    if event.anchor is not None:
        _refuse(event, f'the anchor "&{_short(event.anchor)}" is not supported', "Remove it, or quote a text with &.")
    if event.tag is not None:
        _refuse(event, f'the tag "{_short(event.tag)}" is not supported', 'Remove it, or quote a text such as "!=".')


def _scalar(event: Any) -> Any:
    """The value of a scalar: a quoted or block one is a string, a plain one is read by the core schema."""
    text: str = event.value
    if _NEVER_STORED.search(text):
        _refuse(event, "a text has a NUL character or half a surrogate pair", "Remove the escape.")
    if event.style is not None:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    base = (
        10 if _DECIMAL.fullmatch(text) else 8 if _OCTAL.fullmatch(text) else 16 if _HEXADECIMAL.fullmatch(text) else 0
    )
    if not base and not _FLOAT.fullmatch(text):
        return text
    if len(text) > _LONGEST_NUMBER:
        _refuse(event, f"a number has more than {_LONGEST_NUMBER} characters", "Quote it if it is a text.")
    if base:
        return int(text, base)
    if math.isinf(number := float(text)):
        _refuse(event, f'the number "{_short(text)}" is too large', "Quote it if it is a text.")
    return number


def _refuse(event: Any, message: str, hint: str) -> NoReturn:
    raise YamlError(message, _position(event), hint)


def _position(event: Any) -> Position:
    return Position(event.start_mark.line + 1, event.start_mark.column + 1)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
