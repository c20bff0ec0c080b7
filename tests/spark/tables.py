"""Tables made by hand: files and the values that describe them, without a catalog."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.core.names import TableName
from headwater.core.schema import Column, Schema, number
from headwater.lake.arrow import to_table
from headwater.lake.parquet import write_batches, write_delete_file
from headwater.lake.values import (
    SNAPSHOT_ID,
    SNAPSHOT_ID_FIELD,
    STORED_ROW_ID,
    DataFile,
    DeleteFile,
    FileAt,
    InlinedRows,
    NameMapping,
    Table,
    TableAt,
    WriteTarget,
)


def of(**types: str) -> Schema:
    return Schema(number(tuple(Column(name, type_name) for name, type_name in types.items())))


@dataclass(slots=True)
class Maker:
    """Writes files of one table."""

    folder: Path
    schema: Schema
    next_id: int = 0
    next_row_id: int = 0
    files: dict[int, DataFile] = field(default_factory=dict)

    def file(
        self,
        rows: Sequence[Sequence[Any]],
        *,
        begin: int = 1,
        row_ids: Sequence[int | None] | None = None,
        since: Sequence[int | None] | None = None,
        name: str | None = None,
        schema: Schema | None = None,
        extra: tuple[Column, ...] = (),
        **more: Any,
    ) -> DataFile:
        """One data file; `row_ids` and `since` are embedded, and what is more goes into the value."""
        schema = schema or self.schema
        columns = (*schema, *extra)
        added = (Column(SNAPSHOT_ID, "int64", SNAPSHOT_ID_FIELD),) if since is not None else ()
        full = [tuple(row) for row in rows]
        if row_ids is not None:
            full = [(*row, row_id) for row, row_id in zip(full, row_ids, strict=True)]
        if since is not None:
            full = [(*row, snapshot) for row, snapshot in zip(full, since, strict=True)]
        ids = (Column(STORED_ROW_ID, "int64"),) if row_ids is not None else ()
        target = WriteTarget(f"{self.folder}/", schema, extra=(*extra, *added), keeps_row_ids=row_ids is not None)
        (written,) = write_batches(target, to_table((*columns, *ids, *added), full).to_batches())
        path = Path(written.path)
        if name is not None:
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            path = path.rename(place)
        partial = max((s for s in since if s is not None), default=None) if since is not None else None
        values: dict[str, Any] = {"row_id_start": self.next_row_id, "partial_max": partial, **more}
        made = DataFile(self.next_id, str(path), written.records, written.bytes, begin, None, **values)
        self.files[made.id] = made
        self.next_id += 1
        self.next_row_id += len(full)
        return made

    def deletes(
        self, file: DataFile, positions: Iterable[int], *, since: Sequence[int] | None = None, begin: int = 2
    ) -> DeleteFile:
        """A delete file, with embedded snapshot ids if given."""
        positions = list(positions)
        path = f"{self.folder}/ducklake-{self.next_id}-delete.parquet"
        write_delete_file(path, file.path, positions, since)
        self.next_id += 1
        return DeleteFile(self.next_id, file.id, path, len(positions), begin, None)

    def at(
        self,
        snapshot: int,
        *files: DataFile | FileAt,
        inlined: Sequence[tuple[int, tuple[Any, ...]]] = (),
        schema: Schema | None = None,
        mappings: tuple[NameMapping, ...] = (),
        reused: frozenset[int] | None = frozenset(),
    ) -> TableAt:
        """The table at a snapshot."""
        visible = tuple(file if isinstance(file, FileAt) else FileAt(file) for file in files)
        rows = InlinedRows(tuple(inlined))
        return TableAt(self.table, snapshot, schema or self.schema, visible, rows, mappings, reused)

    @property
    def table(self) -> Table:
        return Table(1, "uuid", TableName("main", "t"), 0, f"{self.folder}/")
