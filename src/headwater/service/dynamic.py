"""Statements about dynamic tables, each to its verb."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from headwater.lake.names import resolve
from headwater.service import alter, drop, show
from headwater.service.cancel import cancel
from headwater.service.create import create
from headwater.service.explain import explain
from headwater.service.find import find_by_name
from headwater.service.profile import profile
from headwater.service.redefine import add_dynamic_column, redefine, replace_in_place
from headwater.service.refresh import refresh
from headwater.service.restore import restore
from headwater.service.result import Result
from headwater.service.verify import verify
from headwater.sql import dynamic_statements as ds

if TYPE_CHECKING:
    from headwater.service.lake import Lake


def run_dynamic(lake: Lake, statement: ds.DynamicStatement) -> Result:
    """Carry the statement out."""
    match statement:
        case ds.CreateDynamicTable():
            return _done(_create(lake, statement))
        case ds.RefreshDynamicTable():
            return show.outcomes(refresh(lake, statement.names))
        case ds.CancelRefresh():
            return _done("cancelled" if cancel(lake, statement.name) else "nothing to cancel")
        case ds.SuspendDynamicTable() | ds.ResumeDynamicTable():
            return _done(alter.suspend_or_resume(lake, statement))
        case ds.RenameDynamicTable():
            return _done(alter.rename(lake, statement))
        case ds.SwapDynamicTable():
            return _done(alter.swap(lake, statement))
        case ds.SetDynamicTable() | ds.UnsetDynamicTable():
            return _done(alter.set_properties(lake, statement))
        case ds.AddDynamicColumn():
            return _done(add_dynamic_column(lake, statement))
        case ds.RenameDynamicColumn():
            return _done(alter.rename_column(lake, statement))
        case ds.DropDynamicTable():
            return _done(drop.drop(lake, statement))
        case ds.UndropDynamicTable():
            return _done(drop.undrop(lake, statement))
        case ds.DescribeDynamicTable():
            return show.describe(lake, statement.name)
        case ds.ShowCreateDynamicTable():
            return show.show_create(lake, statement.name)
        case ds.ShowDynamicTables():
            return show.show_tables(lake, statement.like, statement.schema)
        case ds.ShowRefreshHistory():
            return show.show_history(lake, statement)
        case ds.ShowJobProfile():
            return profile(lake, statement.job_id, table=statement.table).result()
        case ds.ExplainDynamicTable():
            return explain(lake, statement.target).result()
        case ds.VerifyDynamicTable():
            return verify(lake, statement.name).result()
        case ds.RestoreDynamicTable():
            return _done(restore(lake, statement))
        case _:
            assert_never(statement)


def _create(lake: Lake, statement: ds.CreateDynamicTable) -> str:
    if statement.or_alter or statement.or_replace:
        with lake.reader() as reader:
            existing = find_by_name(reader, resolve(statement.name, reader, reader.latest().id))
        if existing and statement.or_alter:
            return redefine(lake, existing, statement)
        if existing and (done := replace_in_place(lake, existing, statement)):
            return done
    return create(lake, statement)


def _done(what: str) -> Result:
    return Result(("status",), ((what,),))
