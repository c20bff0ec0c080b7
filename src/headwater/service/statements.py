"""Dispatch statements about dynamic tables."""

from __future__ import annotations

from typing import assert_never

from headwater.lake.site import Site
from headwater.refresh import alter, drop
from headwater.refresh.compute import Compute
from headwater.refresh.restore import restore
from headwater.refresh.verify import verify
from headwater.service import render, show
from headwater.service.create import add_column, create, undrop
from headwater.service.explain import explain
from headwater.service.interruptible import interruptible
from headwater.service.profile import job_profile, profile
from headwater.service.refresh import refresh
from headwater.service.result import Result
from headwater.service.versions import versions
from headwater.sql import dynamic_statements as ds
from headwater.worker.cancel import cancel


def run_dynamic(site: Site, compute: Compute, statement: ds.DynamicStatement) -> Result:
    """Run the statement; an interrupt cancels it."""
    return interruptible(compute.cancellation, lambda: _run(site, compute, statement))


def _run(site: Site, compute: Compute, statement: ds.DynamicStatement) -> Result:
    match statement:
        case ds.CreateDynamicTable():
            return render.creation(create(site, compute, statement))
        case ds.RefreshDynamicTable():
            return render.outcomes(refresh(site, compute, statement.names))
        case ds.CancelRefresh():
            return _done("cancelled" if cancel(site, statement.name) else "nothing to cancel")
        case ds.SuspendDynamicTable() | ds.ResumeDynamicTable():
            return _done(alter.suspend_or_resume(site, statement))
        case ds.RenameDynamicTable():
            return _done(alter.rename(site, statement))
        case ds.SwapDynamicTable():
            return _done(alter.swap(site, statement))
        case ds.SetDynamicTable() | ds.UnsetDynamicTable():
            return _done(alter.set_properties(site, compute.warehouses, statement))
        case ds.AddDynamicColumn():
            return _done(add_column(site, compute, statement))
        case ds.RenameDynamicColumn():
            return _done(alter.rename_column(site, statement))
        case ds.DropDynamicTable():
            return _done(drop.drop(site, statement))
        case ds.UndropDynamicTable():
            return _done(undrop(site, compute, statement))
        case ds.DescribeDynamicTable():
            return show.describe(site, statement.name)
        case ds.ShowCreateDynamicTable():
            return show.show_create(site, statement.name)
        case ds.ShowDynamicTables():
            return show.show_tables(site, statement.like, statement.schema)
        case ds.ShowRefreshHistory():
            return show.show_history(site, statement)
        case ds.ShowJobProfile():
            return job_profile(profile(site, statement.job_id, table=statement.table))
        case ds.ExplainDynamicTable():
            return render.explanation(explain(site, compute, statement.target))
        case ds.VerifyDynamicTable():
            return render.verification(verify(site, compute, statement.name))
        case ds.RestoreDynamicTable():
            return render.restored(restore(site, compute, statement))
        case ds.ShowTableVersions():
            return show.show_versions(versions(site, statement.table))
        case _:
            assert_never(statement)


def _done(what: str) -> Result:
    return Result(("status",), ((what,),))
