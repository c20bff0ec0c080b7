"""Adopt a lake: make its catalog and its data folder name each other, after a copy, a move or a restore."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace

import sqlalchemy as sa

from headwater.core.errors import InvalidRequest, StoreDenied, StoreFailed
from headwater.core.names import TableName
from headwater.lake import catalog as c
from headwater.lake.binding import BindingReport, LakeGate, not_adopted
from headwater.lake.copy_files import CataloguedFile, catalogued_files, copy_files, missing_from
from headwater.lake.lake_verdict import LakeVerdict
from headwater.lake.marker import Marker, read_marker
from headwater.lake.paths import as_folder
from headwater.lake.reader import LakeReader
from headwater.lake.site import Site
from headwater.lake.taken_folder import refuse_nested
from headwater.registry import definitions, install
from headwater.registry.settle import forget_contents_stmts, settle_stmts

# Verdicts after which the lake's processes may still be running.
_ALIVE = frozenset({LakeVerdict.SAME, LakeVerdict.MOVED, LakeVerdict.MOUNTED_ELSEWHERE, LakeVerdict.UNMARKED})
_COPIES = frozenset({LakeVerdict.COPY, LakeVerdict.COPY_OR_MOVED, LakeVerdict.COPIED_BEFORE_MARKED})


@dataclass(frozen=True, slots=True)
class AdoptOptions:
    """How to adopt: as the restored lake, in place of the other catalog, or with its own files in `copy_data`."""

    restored: bool = False
    take_over: bool = False
    copy_data: str | None = None

    @property
    def given(self) -> int:
        return sum((self.restored, self.take_over, self.copy_data is not None))


@dataclass(frozen=True, slots=True)
class IncompleteTable:
    """A table of which files are missing, in the lake and in the folder that the catalog names."""

    name: TableName
    table_id: int
    files: int
    dynamic: bool


@dataclass(frozen=True, slots=True)
class AdoptionPlan:
    """What adoption would do: the folder that the lake gets, whether it becomes another lake, and the files to copy.

    `settles` ends what the registry says is running. Nothing is `needed` for a lake that is adopted already.
    """

    report: BindingReport
    folder: str
    new_id: bool
    restored: bool
    settles: bool
    needed: bool
    copies: int
    incomplete: tuple[IncompleteTable, ...]


@dataclass(frozen=True, slots=True)
class Adoption:
    """What adoption did."""

    verdict: LakeVerdict
    lake_id: str
    data_path: str
    copied: int
    incomplete: tuple[IncompleteTable, ...]


def plan_adoption(site: Site, options: AdoptOptions) -> AdoptionPlan:
    """Check that the lake can be adopted in this way; changes nothing."""
    if options.given > 1:
        raise InvalidRequest(
            "only one of --restored, --take-over and --copy-data can be used", hint="Choose the one that applies."
        )
    gate = _gate(site)
    with site.database.read() as connection:
        report = gate.report(connection)
        _refuse(report, options)
        _check_integrity(connection)
        folder = _new_folder(options.copy_data) if options.copy_data is not None else site.data_path
        copies, incomplete = _missing(connection, folder, _sources(site, report))
    new_id = options.copy_data is not None or (report.verdict in _COPIES and not options.given)
    if new_id:
        refuse_nested(folder)
    restored = options.restored or report.verdict is LakeVerdict.RESTORED_IN_PLACE
    settles = options.given > 0 or report.verdict not in _ALIVE
    needed = options.given > 0 or report.verdict is not LakeVerdict.SAME
    return AdoptionPlan(report, folder, new_id, restored, settles, needed, copies, incomplete)


def carry_out(site: Site, plan: AdoptionPlan) -> tuple[Site, Adoption]:
    """Copy the files, bind catalog and folder, and settle what other processes left; returns the adopted lake's site."""
    database, folder = site.database, plan.folder
    if not plan.needed:
        known = plan.report.keys.lake_id if plan.report.keys is not None else ""
        return site, Adoption(plan.report.verdict, known, folder, 0, ())
    sources = _sources(site, plan.report)
    _make_folder(folder)
    with database.read() as connection:
        copied = _copy_missing(connection, folder, sources)
    gate = LakeGate(database, folder)

    def work(connection: sa.Connection) -> tuple[Marker, Adoption]:
        # Other clients may have committed files since.
        late = _copy_missing(connection, folder, sources)
        _copies, incomplete = _missing(connection, folder, ())
        marker = gate.bind(connection, new_id=plan.new_id, restored=plan.restored)
        if plan.new_id:
            scheduled = c.files_scheduled_for_deletion
            connection.execute(sa.delete(scheduled).where(sa.not_(scheduled.c.path_is_relative)))
        if plan.settles:
            settle(connection, site, [table.table_id for table in incomplete if table.dynamic])
        return marker, Adoption(plan.report.verdict, marker.lake_id, folder, copied + late, incomplete)

    marker, adoption = database.write_ungated(work)
    gate.confirm(marker.generation)
    database.gate = gate
    return replace(site, data_path=folder), adoption


def settle(connection: sa.Connection, site: Site, without_contents: list[int]) -> None:
    """End what the registry says is running; the tables `without_contents` will be recomputed."""
    if not install.is_installed(connection):
        return
    for statement in settle_stmts(site.clock.now()):
        connection.execute(statement)
    if without_contents:
        for statement in forget_contents_stmts(without_contents):
            connection.execute(statement)


def examine(site: Site) -> BindingReport | None:
    """The verdict on a lake; None if its data is not in a folder."""
    if "://" in site.data_path:
        return None
    with site.database.read() as connection:
        return _gate(site).report(connection)


def _gate(site: Site) -> LakeGate:
    if "://" in site.data_path:
        raise InvalidRequest(
            "only lakes whose data is in a folder can be adopted", hint="Use a folder as the data path."
        )
    return LakeGate(site.database, site.data_path)


def _refuse(report: BindingReport, options: AdoptOptions) -> None:
    verdict = report.verdict
    if verdict is LakeVerdict.OTHER_LAKE:
        raise not_adopted(report)
    if options.copy_data is not None or options.take_over:
        return
    own_folder = report.folder != report.named
    if (
        verdict is LakeVerdict.SECOND_CATALOG
        or (verdict is LakeVerdict.COPIED_BEFORE_MARKED and not own_folder)
        or (verdict is LakeVerdict.DIFFERENT_TIMES and not options.restored)
    ):
        raise not_adopted(report)


def _check_integrity(connection: sa.Connection) -> None:
    if connection.dialect.name != "sqlite":
        return
    found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one()
    if found != "ok":
        raise StoreFailed(
            "the catalog is damaged",
            detail=f"SQLite's integrity check found: {found}.",
            hint="Restore it from a backup.",
        )


def _sources(site: Site, report: BindingReport) -> tuple[str, ...]:
    """The folders from which missing files can be copied."""
    return tuple(dict.fromkeys(folder for folder in (site.data_path, report.named) if os.path.isdir(folder)))


def _missing(
    connection: sa.Connection, folder: str, sources: tuple[str, ...]
) -> tuple[int, tuple[IncompleteTable, ...]]:
    """How many missing files another folder has, and the tables of which files are in neither."""
    missing = missing_from(folder, catalogued_files(connection))
    lost = missing
    for source in sources:
        lost = missing_from(source, lost)
    return len(missing) - len(lost), _incomplete(connection, lost)


def _copy_missing(connection: sa.Connection, folder: str, sources: tuple[str, ...]) -> int:
    missing = missing_from(folder, catalogued_files(connection))
    return sum(copy_files(missing, source, folder) for source in sources if source != folder)


def _incomplete(connection: sa.Connection, lost: tuple[CataloguedFile, ...]) -> tuple[IncompleteTable, ...]:
    if not lost:
        return ()
    reader = LakeReader(connection, "")
    dynamic = definitions.ids(connection) if install.is_installed(connection) else frozenset()
    counts = Counter(file.table_id for file in lost)
    return tuple(
        IncompleteTable(table.name, table.id, counts[table.id], table.id in dynamic)
        for table in reader.tables(reader.latest().id)
        if table.id in counts
    )


def _new_folder(path: str) -> str:
    folder = as_folder(os.path.expanduser(path))
    if read_marker(folder) is not None:
        raise InvalidRequest(f'"{folder}" is the data folder of a lake', hint="Choose a new folder.")
    return folder


def _make_folder(folder: str) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise StoreDenied(
            f'cannot create the data folder "{folder}"',
            detail=str(error),
            hint="Choose a folder that this user can write to.",
        ) from error
