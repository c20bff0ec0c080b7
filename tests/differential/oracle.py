"""What a lake holds, as DuckDB tells it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headwater.core.names import TableName
from tests.differential.canonical import Bag, Row, canonical
from tests.differential.domains import Type
from tests.duck import Duck

META = "__ducklake_metadata_lake"
# DuckDB narrows values by the catalog's statistics, and its own are wrong after some steps: 28 was read as 284.
BY_DATA_ALONE = "SET disabled_optimizers = 'compressed_materialization,statistics_propagation'"
AS_USERS = "SET disabled_optimizers = ''"


@dataclass(frozen=True, slots=True)
class Named:
    """A table at a snapshot; the id survives renames."""

    id: int
    name: TableName


@dataclass(frozen=True, slots=True)
class Contents:
    """Names and DuckDB types of the columns, and how often each row occurs."""

    columns: tuple[tuple[str, str], ...]
    bag: Bag


@dataclass(frozen=True, slots=True)
class Field:
    """A column or a part of one, with the value (canonical) that rows have which were written without it."""

    id: int
    name: str
    type: str
    default: Any = None
    parts: tuple[Field, ...] = ()


def snapshots(duck: Duck) -> list[int]:
    """The ids that have not been expired, in order."""
    return [row[0] for row in duck.execute(f"SELECT snapshot_id FROM {META}.ducklake_snapshot ORDER BY 1")]


def tables(duck: Duck, version: int) -> list[Named]:
    """The tables that exist at a snapshot."""
    rows = duck.execute(
        f"SELECT t.table_id, s.schema_name, t.table_name FROM {META}.ducklake_table t"
        f" JOIN {META}.ducklake_schema s ON s.schema_id = t.schema_id AND {_visible('s', version)}"
        f" WHERE {_visible('t', version)} ORDER BY 1"
    )
    return [Named(number, TableName(schema, name)) for number, schema, name in rows]


def contents(duck: Duck, table: TableName, version: int, *, row_ids: bool = False) -> Contents:
    """A table as of a snapshot; with row ids as the first column."""
    return contents_of(duck, [(table, version)], row_ids=row_ids)[0]


def contents_of(duck: Duck, wanted: Sequence[tuple[TableName, int]], *, row_ids: bool = False) -> list[Contents]:
    """Several tables as of snapshots, in one round trip."""
    listed = "rowid, *" if row_ids else "*"
    queries = [f"SELECT {listed} FROM {table} AT (VERSION => {version})" for table, version in wanted]
    duck.execute(BY_DATA_ALONE)
    try:
        found = duck.arrows(queries)
        described = duck.batch([f"DESCRIBE {query}" for query in queries])
    finally:
        duck.execute(AS_USERS)
    return [
        Contents(tuple((str(row[0]), str(row[1])) for row in columns), canonical(data))
        for data, columns in zip(found, described, strict=True)
    ]


def fields(duck: Duck, table_id: int, version: int) -> tuple[Field, ...]:
    """The columns of a table as of a snapshot, by field id."""
    rows = duck.execute(
        f"SELECT column_id, column_name, column_type, parent_column, initial_default FROM {META}.ducklake_column c"
        f" WHERE table_id = {table_id} AND {_visible('c', version)} ORDER BY column_order"
    )
    given = {row[0]: (row[2], row[4]) for row in rows if row[4] is not None}
    defaults = _defaults(duck, given)

    def below(parent: int | None) -> tuple[Field, ...]:
        return tuple(
            Field(number, name, kind, defaults.get(number), below(number))
            for number, name, kind, above, _ in rows
            if above == parent
        )

    return below(None)


def expected_changes(before: Bag, old: tuple[Field, ...], after: Bag, new: tuple[Field, ...]) -> Bag:
    """Rows gained (positive) and lost (negative) from one snapshot to another, in the columns of the later one."""
    change: Counter[Row] = Counter(after)
    for row, count in before.items():
        change[evolved(row, old, new)] -= count
    return Counter({row: count for row, count in change.items() if count})


def evolved(row: Row, old: tuple[Field, ...], new: tuple[Field, ...]) -> Row:
    """A row as a later schema shows it: dropped columns gone, new ones with their initial default.

    >>> evolved((1, "x"), (Field(1, "a", "int32"), Field(2, "b", "varchar")), (Field(3, "c", "int32", 7), Field(1, "z", "int64")))
    (7, 1)
    """
    places = {field.id: place for place, field in enumerate(old)}
    return tuple(
        _evolved(row[places[field.id]], old[places[field.id]], field) if field.id in places else field.default
        for field in new
    )


def wrong_stats(duck: Duck, table: Named, version: int) -> list[str]:
    """Where the catalog's statistics of the newest snapshot deny what the table holds, in words."""
    duck.execute(BY_DATA_ALONE)
    try:
        return [
            complaint
            for field in fields(duck, table.id, version)
            if not field.parts
            for complaint in _complaints(duck, table, field)
        ]
    finally:
        duck.execute(AS_USERS)


def _complaints(duck: Duck, table: Named, field: Field) -> list[str]:
    stats = duck.execute(
        f"SELECT contains_null, min_value, max_value FROM {META}.ducklake_table_column_stats"
        f" WHERE table_id = {table.id} AND column_id = {field.id}"
    )
    if not stats:
        return []
    has_null, low, high = stats[0]
    column, kind = '"' + field.name.replace('"', '""') + '"', Type(field.type).sql
    finite = f"NOT isnan({column})" if field.type.startswith("float") else "true"
    checks = {
        "a NULL that contains_null denies": f"{column} IS NULL" if has_null is not None and not has_null else "false",
        f"a value below {low}": _beyond(column, "<", low, kind, finite),
        f"a value above {high}": _beyond(column, ">", high, kind, finite),
    }
    counts = duck.execute(
        f"SELECT {', '.join(f'count(*) FILTER ({check})' for check in checks.values())} FROM {table.name}"
    )
    return [f"{table.name}.{field.name}: {word}" for word, count in zip(checks, counts[0], strict=True) if count]


def _beyond(column: str, sign: str, bound: str | None, kind: str, finite: str) -> str:
    if bound is None or kind in {"BLOB", "JSON"}:
        return "false"
    text = bound.replace("'", "''")
    return f"{finite} AND {column} {sign} TRY_CAST('{text}' AS {kind})"


def _evolved(value: Any, old: Field, new: Field) -> Any:
    if value is None:
        return None
    match new.type:
        case "struct":
            return evolved(value, old.parts, new.parts)
        case "list":
            return tuple(_evolved(item, old.parts[0], new.parts[0]) for item in value)
        case "map":
            pairs = [
                (_evolved(key, old.parts[0], new.parts[0]), _evolved(item, old.parts[1], new.parts[1]))
                for key, item in value
            ]
            return tuple(sorted(pairs, key=repr))
    return value


def _defaults(duck: Duck, given: dict[int, tuple[str, str]]) -> dict[int, Any]:
    if not given:
        return {}
    casts = []
    for kind, text in given.values():
        quoted = text.replace("'", "''")
        casts.append(f"CAST('{quoted}' AS {Type(kind).sql})")
    [row] = canonical(duck.arrow(f"SELECT {', '.join(casts)}"))
    return dict(zip(given, row, strict=True))


def _visible(alias: str, version: int) -> str:
    return f"{alias}.begin_snapshot <= {version} AND ({alias}.end_snapshot IS NULL OR {version} < {alias}.end_snapshot)"
