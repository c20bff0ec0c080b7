"""Check the text of a config against a model; each mistake has its line, column and the values allowed."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from headwater.core.caret import quote_line
from headwater.core.errors import ConfigInvalid, Position
from headwater.core.yaml_document import Path, YamlDocument, YamlError, read_yaml


class Block(BaseModel):
    """A mapping of a config: no other keys, and no conversions of values."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True)


Model = TypeVar("Model", bound=Block)
# A mapping that may be empty, as in `compaction:` with all its keys left out.
Partial = Annotated[Model, BeforeValidator(lambda value: {} if value is None else value)]


class ConfigText:
    """A config that has been read; `kind` and `path` name it in errors."""

    def __init__(self, text: str, kind: str, path: str) -> None:
        self._text, self._kind, self.path = text, kind, path
        try:
            self.document: YamlDocument = read_yaml(text)
        except YamlError as error:
            raise self._invalid(f": {error.message}", error.position, error.hint) from None

    def validated(self, model: type[Model]) -> Model:
        """The config as a model, or the error of its first mistake; unknown keys come first, as they explain missing ones."""
        try:
            return model.model_validate(self.document.value)
        except ValidationError as error:
            found = error.errors(include_url=False, include_context=False, include_input=False)
        first = min(found, key=lambda each: (each["type"] != "extra_forbidden", self._order(each["loc"])))
        raise self._mistake(model, first["type"], first["loc"])

    def refused(self, path: Path, hint: str, why: str | None = None) -> ConfigInvalid:
        """The error for the value at a path; without a reason, that it is not one of those allowed."""
        what = f'"{dotted(path)}"' if path else "the config"
        why = why or f"{what} can't be {self._shown(path)}"
        return self._invalid(f": {why}", self.document.value_position(path), hint)

    def given(self, *path: str | int) -> bool:
        """Whether the config has this key."""
        return path in self.document.values

    def _mistake(self, model: type[Block], type: str, at: Path) -> ConfigInvalid:
        match type:
            case "extra_forbidden":
                return self._unknown_key(at, _keys(model, at[:-1]))
            case "missing":
                where = f' in "{dotted(at[:-1])}"' if at[:-1] else ""
                hint = _hint(model, at) or f"Add {at[-1]}."
                return self._invalid(f': "{at[-1]}" is missing{where}', self.document.position(at[:-1]), hint)
            case _:
                at = self._written_part(at)
                return self.refused(at, _hint(model, at) or "Write keys with values: a mapping.")

    def _unknown_key(self, at: Path, keys: Iterable[str]) -> ConfigInvalid:
        known = tuple(keys)
        near = get_close_matches(str(at[-1]).lower(), known, 1)
        listed = ", ".join(known)
        within = f' of "{dotted(at[:-1])}"' if at[:-1] else ""
        return self._invalid(
            f' has the unknown key "{_short(str(at[-1]))}"',
            self.document.position(at),
            f"Did you mean {near[0]}?" if near else f"Use one of {listed}.",
            detail=f"The keys{within} are {listed}.",
        )

    def _invalid(self, what: str, at: Position, hint: str, detail: str | None = None) -> ConfigInvalid:
        error = ConfigInvalid(f'{self._kind} "{self.path}"{what}', detail=detail, hint=hint, position=at)
        error.path = self.path
        quote_line(error, self._text.removeprefix("\ufeff"))
        return error

    def _written_part(self, at: Path) -> Path:
        """The path without what the model adds to it, such as the type of a union."""
        while at and at not in self.document.values:
            at = at[:-1]
        return at

    def _order(self, at: Path) -> tuple[int, int]:
        position = self.document.position(at)
        return position.line, position.column

    def _shown(self, path: Path) -> str:
        value = self.document.value
        for part in path:
            value = value[part]
        match value:
            case None:
                return "empty"
            case dict():
                return "a mapping"
            case list():
                return "a list"
            case str():
                return f'"{_short(value)}"'
            case _:
                return self.document.written.get(path, str(value).lower())


def dotted(path: Path) -> str:
    """The path as people write it.

    >>> dotted(("columns", 0, "type"))
    'columns[0].type'
    """
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def _model_at(model: Any, path: Path) -> type[Block] | None:
    """The model of the mapping at a path."""
    for part in path:
        if isinstance(part, str):
            field = next((f for name, f in model.model_fields.items() if (f.alias or name) == part), None)
            if field is None:
                return None
            model = field.annotation
        while get_args(model):
            model = get_args(model)[0]
        if not (isinstance(model, type) and issubclass(model, Block)):
            return None
    return model  # type: ignore[no-any-return]


def _keys(model: type[Block], path: Path) -> tuple[str, ...]:
    found = _model_at(model, path)
    return tuple(field.alias or name for name, field in found.model_fields.items()) if found else ()


def _hint(model: type[Block], path: Path) -> str | None:
    """What the model says of the values that a key takes."""
    path = path[:-1] if path and isinstance(path[-1], int) else path
    within = _model_at(model, path[:-1]) if path else None
    if within is None:
        return None
    return next((f.description for name, f in within.model_fields.items() if (f.alias or name) == path[-1]), None)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"
