"""Resolve the names of a statement in this lake."""

from __future__ import annotations

from headwater.core.errors import InvalidRequest, NotFound
from headwater.core.names import DEFAULT_SCHEMA, TableName, folded
from headwater.lake.reader import LakeReader
from headwater.sql.statements import ObjectName, SchemaName

CATALOG = "lake"


def resolve(name: ObjectName, reader: LakeReader, at: int) -> TableName:
    """schema.table if that schema exists, else catalog.table in `main`."""
    if name.schema is None:
        return TableName(DEFAULT_SCHEMA, name.name)
    schemas = {folded(known): known for known in reader.schemas(at)}
    if name.catalog is not None:
        _check_catalog(name.catalog)
    elif folded(name.schema) not in schemas and folded(name.schema) == CATALOG:
        return TableName(DEFAULT_SCHEMA, name.name)
    if folded(name.schema) not in schemas:
        raise NotFound(
            f'schema "{name.schema}" does not exist',
            hint=f'Run CREATE SCHEMA "{name.schema}" first, or check the name.',
        )
    return TableName(schemas[folded(name.schema)], name.name)


def resolve_schema(name: SchemaName) -> str:
    """The name of the schema, after a check that its catalog is this lake."""
    if name.catalog is not None:
        _check_catalog(name.catalog)
    return name.name


def _check_catalog(catalog: str) -> None:
    if folded(catalog) != CATALOG:
        raise InvalidRequest(f'catalog "{catalog}" does not exist', hint=f'This lake\'s catalog is named "{CATALOG}".')
