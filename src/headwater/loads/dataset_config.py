"""Read the YAML config of a dataset: which columns files have, how values are cleaned, and which rows are loaded."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from headwater.core.errors import Position, SqlError
from headwater.core.names import folded, quote
from headwater.core.schema import Column
from headwater.core.yaml_document import Path
from headwater.loads.config_text import Block, ConfigText
from headwater.sql.cursor import Cursor
from headwater.sql.tokens import tokenize
from headwater.sql.type_names import parse_type

Scalar = bool | int | Decimal | str
Transform = Literal["trim", "upper", "lower"]
Operator = Literal["=", "!=", ">", ">=", "<", "<=", "in", "like", "is_null", "is_not_null", "not_empty"]
TRANSFORMS: tuple[Transform, ...] = get_args(Transform)
OPERATORS: tuple[Operator, ...] = get_args(Operator)
_WITHOUT_VALUE = ("is_null", "is_not_null", "not_empty")
_OPERATOR_HINT = f"Use one of {', '.join(OPERATORS)}, in quotes."
_SCALAR_HINT = "Write a text, a number, true or false."


@dataclass(frozen=True, slots=True)
class Expression:
    """Spark SQL as written, and where it begins in the config."""

    text: str
    position: Position


@dataclass(frozen=True, slots=True)
class DatasetColumn:
    """A column of the table: from a column of the files, or from an expression over them."""

    name: str
    source: str | None
    expression: Expression | None
    # None is the type that the files have when the table is created.
    type: Column | None
    transforms: tuple[Transform, ...]
    default: Scalar | None
    position: Position


@dataclass(frozen=True, slots=True)
class DatasetFilter:
    """A rule that a row must satisfy to be loaded; `value` is a tuple for `in`, and None where the operator takes none."""

    column: str
    operator: Operator
    value: Scalar | tuple[Scalar, ...] | None
    allow_null: bool
    position: Position

    def __str__(self) -> str:
        """The rule as the table of rejects names it.

        >>> str(DatasetFilter("quantity", ">", 0, False, Position(1, 1)))
        'quantity > 0'
        """
        words = [_name(self.column), self.operator.replace("_", " ")]
        if self.value is not None:
            words.append(_literal(self.value))
        return " ".join([*words, "or null"] if self.allow_null else words)


@dataclass(frozen=True, slots=True)
class DatasetConfig:
    """A config, with its text and the path it was read from; without columns, all columns of the files are loaded."""

    path: str
    text: str
    name: str | None
    description: str | None
    columns: tuple[DatasetColumn, ...]
    filters: tuple[DatasetFilter, ...]


# One or a list; one is read as a list.
_Listed = Annotated[list[Transform], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]


class _Column(Block):
    name: str = Field(min_length=1, max_length=255, description="Write the name of the table's column.")
    source: str | None = Field(default=None, min_length=1, description="Write the name of the files' column.")
    expression: str | None = Field(default=None, min_length=1, description="Write an expression in Spark SQL.")
    type: str | None = Field(default=None, description="Write a type such as INTEGER or DECIMAL(18, 2).")
    transform: _Listed | None = Field(default=None, description="Use trim, upper or lower, or a list of them.")
    default: bool | int | float | str | None = Field(default=None, description=_SCALAR_HINT)


class _Filter(Block):
    column: str = Field(description="Write the name of a column.")
    operator: Operator = Field(description=_OPERATOR_HINT)
    value: bool | int | float | str | list[bool | int | float | str] | None = Field(
        default=None, description="Write a text, a number, true or false, or a list of them for in."
    )
    allow_null: bool | None = Field(default=None, description="Use true or false.")


class _Dataset(Block):
    name: str | None = Field(default=None, description="Write a name.")
    description: str | None = Field(default=None, description="Write a text.")
    columns: list[_Column] | None = Field(default=None, description="Write a list of columns.")
    filters: list[_Filter] | None = Field(default=None, description="Write a list of filters.")


def read_dataset_config(text: str, path: str) -> DatasetConfig:
    """The config of a text, or ConfigInvalid. The path names it in errors.

    >>> config = read_dataset_config('filters: [{column: price, operator: ">=", value: 0.50}]', "sales.yaml")
    >>> str(config.filters[0])
    'price >= 0.50'
    """
    config = ConfigText(text, "dataset config", path)
    read = config.validated(_Dataset)
    columns: dict[str, DatasetColumn] = {}
    for index, each in enumerate(read.columns or ()):
        column = _column(config, ("columns", index), each)
        if folded(column.name) in columns:
            raise config.refused(
                ("columns", index, "name"), "Remove or rename one of them.", f'column "{column.name}" is listed twice'
            )
        columns[folded(column.name)] = column
    filters = tuple(_filter(config, ("filters", index), each, columns) for index, each in enumerate(read.filters or ()))
    return DatasetConfig(path, text, read.name, read.description, tuple(columns.values()), filters)


def _column(config: ConfigText, at: Path, read: _Column) -> DatasetColumn:
    if read.expression is not None and read.source is not None:
        raise config.refused(
            (*at, "source"), "Remove one of them.", f'column "{read.name}" has a source and an expression'
        )
    expression = None
    if read.expression is not None:
        expression = Expression(read.expression, config.document.value_position((*at, "expression")))
    return DatasetColumn(
        name=read.name,
        source=read.name if read.source is None and expression is None else read.source,
        expression=expression,
        type=None if read.type is None else _type(config, at, read.name, read.type),
        transforms=tuple(read.transform or ()),
        default=None if read.default is None else _scalar(config, (*at, "default"), read.default),
        position=config.document.position(at),
    )


def _type(config: ConfigText, at: Path, name: str, text: str) -> Column:
    """The type by its name in DuckDB or Spark; a name that both have means what it means in DDL."""
    try:
        tokens = tokenize(text, "duckdb")
        cursor = Cursor(tokens, tokens.tokens)
        column = parse_type(cursor, name)
        if not cursor.done:
            raise cursor.unexpected("the end of the type")
    except SqlError as error:
        hint = error.hint or "Write a type such as INTEGER or DECIMAL(18, 2)."
        raise config.refused((*at, "type"), hint, f'column "{name}": {error.message}') from None
    return column


def _filter(config: ConfigText, at: Path, read: _Filter, columns: dict[str, DatasetColumn]) -> DatasetFilter:
    if columns and folded(read.column) not in columns:
        near = get_close_matches(folded(read.column), columns, 1)
        hint = f"Did you mean {columns[near[0]].name}?" if near else "Use one of the columns listed."
        raise config.refused((*at, "column"), hint, f'column "{read.column}" is not listed')
    if read.operator in ("is_null", "is_not_null") and read.allow_null is not None:
        raise config.refused((*at, "allow_null"), "Remove it.", f"{read.operator} takes no allow_null")
    column = columns[folded(read.column)].name if columns else read.column
    value = _value(config, at, read)
    return DatasetFilter(column, read.operator, value, bool(read.allow_null), config.document.position(at))


def _value(config: ConfigText, at: Path, read: _Filter) -> Scalar | tuple[Scalar, ...] | None:
    where = (*at, "value")
    if read.operator in _WITHOUT_VALUE:
        if config.given(*where):
            raise config.refused(where, "Remove it.", f"{read.operator} takes no value")
        return None
    if read.value is None:
        raise config.refused(
            where, _SCALAR_HINT, f'"value" is missing in "filters[{at[-1]}]"'
        )  # fmt: skip
    if read.operator == "in":
        if not isinstance(read.value, list) or not read.value:
            raise config.refused(where, "Write a list such as [EU, US].")
        return tuple(_scalar(config, (*where, index), each) for index, each in enumerate(read.value))
    if isinstance(read.value, list) or (read.operator == "like" and not isinstance(read.value, str)):
        raise config.refused(where, 'Write a text such as "A%".' if read.operator == "like" else _SCALAR_HINT)
    return _scalar(config, where, read.value)


def _scalar(config: ConfigText, at: Path, value: Any) -> Scalar:
    """The value; a number with a fraction has the digits that were written."""
    if isinstance(value, bool | str):
        return value
    text = config.document.written[at]
    digits = text.lstrip("+-")
    if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
        raise config.refused(at, f'Write "{text}" in quotes if it is a text.', f"the number {text} has leading zeros")
    if isinstance(value, int):
        return value
    number = Decimal(text) if not text.lstrip("+-").startswith((".i", ".I", ".n", ".N")) else Decimal("NaN")
    if not number.is_finite():
        raise config.refused(at, _SCALAR_HINT)
    return number


def _name(column: str) -> str:
    return column if column.isidentifier() and column.isascii() else quote(column)


def _literal(value: Scalar | tuple[Scalar, ...]) -> str:
    """The value in SQL.

    >>> _literal(("it's", 1, Decimal("1.50"), True))
    "('it''s', 1, 1.50, true)"
    """
    match value:
        case tuple():
            return f"({', '.join(_literal(each) for each in value)})"
        case bool():
            return "true" if value else "false"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case _:
            return str(value)
