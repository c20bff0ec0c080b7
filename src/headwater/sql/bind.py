"""Bind the query of a dynamic table: translate it to Spark SQL over named scans."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlglot import exp

from headwater.core.errors import DefinitionRefused, HeadwaterError, NotFound, Position
from headwater.core.names import TableName, backquote, folded
from headwater.core.schema import Schema
from headwater.core.semantics import SqlMode, definition_session, sql_mode
from headwater.sql.clock_calls import BARE_CLOCKS, MARKERS, clock_edits, set_clock
from headwater.sql.column_usage import referenced_columns
from headwater.sql.determinism import BARE_RANDOM, refuse_nondeterministic
from headwater.sql.double_quotes import backquotes
from headwater.sql.letter_case import refuse_same_to_spark
from headwater.sql.query import RELATION_PREFIX, ParsedQuery, parse_query, shift
from headwater.sql.restate import restate
from headwater.sql.splice import Edit, splice
from headwater.sql.statements import ObjectName
from headwater.sql.table_references import column_parts, name_parts, selects_around, table_references
from headwater.sql.tokens import MAX_BYTES, position_at, tokenize, too_deep
from headwater.sql.transpile import transpile

MAX_VIEW_DEPTH = 32

_START = Position(1, 1)
_NEW = sql_mode(definition_session())
# A table in FROM with other clauses (a version, a partition) is not the table as of the refresh.
_TABLE_PARTS = frozenset({"this", "db", "catalog", "alias", "sample", "pivots", "joins", "laterals", "hints"})
_TABLE_FUNCTIONS = frozenset(
    [
        "explode",
        "explode_outer",
        "inline",
        "inline_outer",
        "json_tuple",
        "posexplode",
        "posexplode_outer",
        "range",
        "stack",
        "variant_explode",
        "variant_explode_outer",
    ]
)
_STRINGS_HINT = "Double quotes enclose names; write a string in single quotes."
_VIEW_HINT = "Rewrite the view, or read the tables behind it in Spark's dialect."


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A name in FROM that is a table or a dynamic table."""

    id: int
    name: TableName
    schema: Schema


@dataclass(frozen=True, slots=True)
class SourceView:
    """A name in FROM that is a view; `query` is its text in `dialect`, 'duckdb' or 'spark'."""

    name: TableName
    query: str
    dialect: str
    aliases: tuple[str, ...] = ()


class SchemaSource(Protocol):
    """Resolves names to tables and views of the lake."""

    def find(self, name: ObjectName) -> SourceTable | SourceView | None: ...


@dataclass(frozen=True, slots=True)
class BoundSource:
    """A table that a query reads: the name of its scan in the SQL, and the field ids of the columns used (None: all)."""

    table_id: int
    name: TableName
    relation: str
    columns: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """A query as written, and as Spark SQL over its sources, with views expanded and markers for the clock.

    In the Spark SQL, names are in backquotes; double quotes enclose strings of definitions whose session says so.
    """

    text: str
    sql: str
    sources: tuple[BoundSource, ...]
    views: tuple[SourceView, ...]
    uses_clock: bool
    # The query as written, but with names in backquotes at the same offsets.
    backquoted: str

    def at(self, clock: datetime) -> str:
        """The SQL with a clock value."""
        return set_clock(self.sql, clock)


def bind(
    text: str,
    source: SchemaSource,
    *,
    dialect: str = "spark",
    origin: Position = _START,
    allow_random: bool = False,
    allow_parameters: bool = False,
    mode: SqlMode = _NEW,
) -> BoundQuery:
    """The query with its names resolved. Errors have a position in the script, where the query begins at `origin`.

    `mode` is that of the definition's session, by default that of new definitions.
    """
    binder = _Binder(source, allow_random, allow_parameters, mode)
    try:
        sql = binder.bind(text, dialect, origin, ())
        schemas = {relation: table.schema for relation, table in binder.tables.items()}
        if mode.unzoned_timestamps:
            sql = restate(sql, schemas)
        columns = referenced_columns(sql, schemas)
    except RecursionError:
        raise too_deep(origin) from None
    sources = tuple(
        BoundSource(table.id, table.name, relation, columns[relation]) for relation, table in binder.tables.items()
    )
    uses_clock = any(marker in sql for marker in MARKERS)
    return BoundQuery(text, sql, sources, tuple(binder.views), uses_clock, _backquoted(text, dialect, mode))


@contextmanager
def placed(bound: BoundQuery, dialect: str, origin: Position) -> Iterator[None]:
    """Add a position in the script to errors about a part of a bound query, if it is certain.

    It is not if the part may be from a view, or if a translation from another dialect may have changed the order.
    """
    try:
        yield
    except HeadwaterError as error:
        place(error, bound, dialect, origin, exact=True)
        raise


def place(error: HeadwaterError, bound: BoundQuery, dialect: str, origin: Position, *, exact: bool) -> None:
    """Add the position of the error's excerpt, if it is certain; `exact` means that the SQL of the bound query ran."""
    excerpt = error.excerpt
    if error.position is not None or excerpt is None:
        return
    if (exact and dialect == "spark" and not bound.views) or excerpt.count == 1:
        start = excerpt.find(bound.backquoted)
        error.position = None if start is None else shift(position_at(bound.text, start), origin)
        unknown = isinstance(error, DefinitionRefused) and error.unknown_column
        if unknown and start is not None and dialect == "spark" and bound.text[start] == '"':
            error.hint = _STRINGS_HINT


def _backquoted(text: str, dialect: str, mode: SqlMode) -> str:
    """The text with the names in double quotes in backquotes, if that keeps all offsets."""
    if dialect != "spark" or not mode.double_quoted_names or '"' not in text:
        return text
    tokens = tokenize(text, dialect, double_quoted_names=True).tokens
    rewritten = splice(text, backquotes(text, tokens), 0, len(text))
    return rewritten if len(rewritten) == len(text) else text


@dataclass(frozen=True, slots=True)
class _Reference:
    """A name in FROM, and the object that it resolves to."""

    table: exp.Table
    object: SourceTable | SourceView

    @property
    def aliased(self) -> bool:
        return bool(self.table.alias)

    @property
    def select(self) -> exp.Select | None:
        return self.table.find_ancestor(exp.Select)


class _Binder:
    """Collects the tables and views of one query while it and the views below it are bound."""

    def __init__(self, source: SchemaSource, allow_random: bool, allow_parameters: bool, mode: SqlMode) -> None:
        self._source = source
        self._mode = mode
        self._allow_parameters = allow_parameters
        self._allow_random = allow_random
        self._bound: dict[TableName, str] = {}
        self.tables: dict[str, SourceTable] = {}
        self.views: list[SourceView] = []

    def bind(self, text: str, dialect: str, origin: Position, path: tuple[TableName, ...]) -> str:
        """The text as Spark SQL over relations; `path` are the views that contain it."""
        query = parse_query(
            text,
            dialect,
            origin,
            allow_parameters=self._allow_parameters and not path,
            double_quoted_names=self._mode.double_quoted_names,
        )
        if dialect == "spark":
            return self._spliced(query, path)
        if not self._allow_random:
            refuse_nondeterministic(query, [])
        found = self._references(query)
        known = {id(one.table): one.object.schema for one in found if isinstance(one.object, SourceTable)}
        hint = f"Write the query in Spark's dialect, without DIALECT = '{dialect}'."
        unzoned = self._mode.unzoned_timestamps
        spark = transpile(query, known, hint=_VIEW_HINT if path else hint, unzoned_timestamps=unzoned)
        try:
            return self._spliced(parse_query(spark, "spark", origin), path)
        except HeadwaterError as error:
            # Positions in the transpiled text do not apply to the user's text.
            error.position = query.position(query.start)
            raise

    def _spliced(self, query: ParsedQuery, path: tuple[TableName, ...]) -> str:
        if not self._allow_random:
            refuse_nondeterministic(query, [])
        references = self._references(query)
        refuse_same_to_spark(query, [one.object.schema for one in references if isinstance(one.object, SourceTable)])
        edits = [self._table_edit(query, reference, path) for reference in references]
        bare = list(self._bare_functions(query, references))
        if not self._allow_random:
            refuse_nondeterministic(query, [column for column in bare if column.name.lower() in BARE_RANDOM])
        edits += clock_edits(query, [column for column in bare if column.name.lower() in BARE_CLOCKS])
        edits += self._column_edits(query, references)
        if query.double_quoted_names:
            edits += list(backquotes(query.text, query.tokens, edits))
        sql = splice(query.text, edits, query.start, query.end)
        if len(sql) > MAX_BYTES:
            raise query.refused(
                "the query is too long once its views are expanded",
                query.position(query.start),
                detail=f"The limit is {MAX_BYTES:,} characters.",
                hint="Replace some of the views with dynamic tables.",
            )
        return sql

    def _references(self, query: ParsedQuery) -> list[_Reference]:
        for index, name in query.calls():
            if name == "identifier":
                raise query.refused(
                    "IDENTIFIER() is not supported",
                    query.position(query.tokens[index].start),
                    hint="Write the name itself.",
                )
        for table in query.tree.find_all(exp.Table):
            if isinstance(table.this, exp.Func):
                _refuse_unknown_function(query, table.this)
        return [_Reference(table, self._find(query, table)) for table in table_references(query.tree)]

    def _find(self, query: ParsedQuery, table: exp.Table) -> SourceTable | SourceView:
        parts = name_parts(table)
        extra = next((key for key, value in table.args.items() if value and key not in _TABLE_PARTS), None)
        if extra or not all(isinstance(part, exp.Identifier) and "start" in part.meta for part in parts):
            raise query.refused(
                f'"{table.sql(dialect=query.dialect)}" is not the name of a table or view',
                query.place(table),
                hint="Write it as schema.name.",
            )
        *before, name = [part.name for part in parts]
        found = self._source.find(ObjectName(name, *reversed(before)))
        if found is None:
            raise NotFound(
                f'table or view "{".".join([*before, name])}" does not exist',
                hint="Check the name and the schema, or change the definition.",
                position=query.place(table),
            )
        return found

    def _table_edit(self, query: ParsedQuery, reference: _Reference, path: tuple[TableName, ...]) -> Edit:
        table, parts = reference.table, name_parts(reference.table)
        alias = None if reference.aliased else backquote(parts[-1].name)
        if alias and table.args.get("sample"):
            raise query.refused(
                "a sampled table needs an alias", query.place(table), hint="Write an alias after TABLESAMPLE (…)."
            )
        match reference.object:
            case SourceTable() as found:
                text = backquote(self._relation(found)) + (f" AS {alias}" if alias else "")
            case SourceView() as view:
                text = f"({self._expanded(query, reference, view, path)})"
                names = ", ".join(backquote(name) for name in view.aliases)
                if alias:
                    text += f" AS {alias}" + (f"({names})" if names else "")
                elif names:
                    text = f"(SELECT * FROM {text} AS {backquote(view.name.name)}({names}))"
        return Edit(parts[0].meta["start"], parts[-1].meta["end"] + 1, text)

    def _relation(self, table: SourceTable) -> str:
        for relation, known in self.tables.items():
            if known.id == table.id:
                return relation
        relation = f"{RELATION_PREFIX}{len(self.tables) + 1}"
        self.tables[relation] = table
        return relation

    def _expanded(
        self, query: ParsedQuery, reference: _Reference, view: SourceView, path: tuple[TableName, ...]
    ) -> str:
        position = query.place(reference.table)
        if any(view.name.same(name) for name in path):
            raise query.refused(f"view {view.name} reads itself", position, hint="Break the cycle of views.")
        if len(path) >= MAX_VIEW_DEPTH:
            raise query.refused(
                f"views are nested deeper than {MAX_VIEW_DEPTH} levels",
                position,
                hint="Replace one of them with a dynamic table.",
            )
        if view.name not in self._bound:
            try:
                self._bound[view.name] = self.bind(view.query, view.dialect, _START, (*path, view.name))
            except HeadwaterError as error:
                where = f"It is at {error.position} of view {view.name}." if error.position else f"In view {view.name}."
                error.detail = " ".join(part for part in (error.detail, where) if part)
                error.position = position
                raise
            self.views.append(view)
        return self._bound[view.name]

    def _bare_functions(self, query: ParsedQuery, references: list[_Reference]) -> Iterator[exp.Column]:
        """The names without parentheses that Spark resolves to functions, because no column has the name."""
        for column in query.tree.find_all(exp.Column):
            name = column.name.lower()
            if name not in BARE_CLOCKS | BARE_RANDOM or len(column_parts(column)) > 1:
                continue
            select = column.find_ancestor(exp.Select)
            direct = [reference.object for reference in references if reference.select is select]
            if any(isinstance(found, SourceTable) and found.schema.find(name) for found in direct):
                continue
            if self._may_be_column(query, references, column):
                raise query.refused(
                    f'"{column.name}" can be a column or a function',
                    query.place(column),
                    hint=f"Write {name}() to call the function, or qualify the column with the table's alias.",
                )
            yield column

    def _may_be_column(self, query: ParsedQuery, references: list[_Reference], column: exp.Column) -> bool:
        name = column.name.lower()
        for node in query.tree.find_all(exp.Alias, exp.TableAlias):
            names = (
                [node.alias] if isinstance(node, exp.Alias) else [part.name for part in node.args.get("columns") or ()]
            )
            if name in (known.lower() for known in names) and column.find_ancestor(exp.Alias) is not node:
                return True
        for reference in references:
            match reference.object:
                case SourceTable(schema=schema):
                    if schema.find(name):
                        return True
                case SourceView(name=view, aliases=aliases):
                    if name in self._bound[view].lower() or name in (alias.lower() for alias in aliases):
                        return True
        return False

    def _column_edits(self, query: ParsedQuery, references: list[_Reference]) -> Iterator[Edit]:
        """The edits that shorten shop.orders.id to orders.id, because scans have no schema."""
        aliases = {folded(node.name) for node in query.tree.find_all(exp.TableAlias)}
        for column in query.tree.find_all(exp.Column):
            parts = column_parts(column)
            for length in (3, 2):
                if len(parts) > length and (matches := self._named(column, parts[:length], references)):
                    if len(matches) > 1 or folded(parts[0].name) in aliases:
                        raise query.refused(
                            f'"{".".join(part.name for part in parts)}" is ambiguous',
                            query.place(column),
                            hint="Give each table an alias and use it.",
                        )
                    name = name_parts(matches[0].table)[-1].name
                    yield Edit(parts[0].meta["start"], parts[length - 1].meta["end"] + 1, backquote(name))
                    break

    def _named(self, column: exp.Column, path: list[exp.Expr], references: list[_Reference]) -> list[_Reference]:
        """The tables without alias that match a path of schema and name, in the innermost SELECT with such a table."""
        *before, name = [part.name for part in path]
        for select in selects_around(column):
            same = [
                reference
                for reference in references
                if not reference.aliased and folded(reference.table.name) == folded(name) and reference.select is select
            ]
            if same:
                found = self._source.find(ObjectName(name, *reversed(before)))
                return same if any(found == reference.object for reference in same) else []
        return []


def _refuse_unknown_function(query: ParsedQuery, function: exp.Func) -> None:
    begin, end = function.meta.get("start"), function.meta.get("end")
    name = query.text[begin : end + 1] if begin is not None and end is not None else function.sql_name()
    if name.lower() not in _TABLE_FUNCTIONS:
        raise query.refused(
            f'the table function "{name.lower()}" is not supported',
            query.place(function),
            hint="Read from tables and views of the lake.",
        )
