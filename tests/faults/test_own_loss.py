"""What a table itself, or the engine, loses in the middle of things: it is computed anew, or tried again as before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from headwater.core.errors import EngineLost, EngineOutOfMemory, FileMissing
from headwater.core.schema import SortKey
from headwater.lake.values import TableAt, WriteTarget
from headwater.refresh.engine import Change, Staged
from tests.faults import scene
from tests.fix_db import Catalog
from tests.simulation.engine import forget_files
from tests.simulation.lake import Quick, playing


class DyingOnce(Quick):
    """An engine that is lost when it follows changes for the first time."""

    def __init__(self, error: type[EngineLost | EngineOutOfMemory]) -> None:
        super().__init__()
        self._error: type[EngineLost | EngineOutOfMemory] | None = error

    def change(self, change: Change, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        if self._error is not None:
            error, self._error = self._error, None
            raise error("gone")
        return super().change(change, at, target, order)


@pytest.mark.parametrize("catalog_kind", ["sqlite"])
@pytest.mark.parametrize("mode", ["AUTO", "FULL", "INCREMENTAL"])
@pytest.mark.parametrize("harm", ["removed", "cut short"])
def test_a_table_whose_own_file_is_lost_is_computed_anew(catalog: Catalog, mode: str, harm: str) -> None:
    with scene.make(catalog.url, catalog.data_path) as lake, playing(Quick()):
        lake.sql(f"ALTER DYNAMIC TABLE sums SET REFRESH_MODE = {mode}")
        lost = Path(lake.describe("sums").files[0].file.path)
        lost.unlink() if harm == "removed" else lost.write_bytes(lost.read_bytes()[:40])
        forget_files()
        scene.change(lake, 1)
        lake.clock = scene.Hasty(1.0)
        outcome = scene.refresh_once(lake)
        assert (outcome.state, outcome.action) == ("SUCCEED", "REINITIALIZE")
        assert outcome.reason is not None
        assert str(lost) in outcome.reason
        assert str(lost) not in [each.file.path for each in lake.describe("sums").files]
        scene.finish(lake, 2.0)
        scene.check(lake)


def test_a_source_whose_file_is_lost_is_not_made_up(catalog: Catalog) -> None:
    with scene.make(catalog.url, catalog.data_path) as lake, playing(Quick()):
        lake.sql("ALTER DYNAMIC TABLE sums SET REFRESH_MODE = FULL")
        scene.change(lake, 1)
        lost = Path(lake.describe("t").files[0].file.path)
        lost.rename(lost.with_suffix(".away"))
        forget_files()
        lake.clock = scene.Hasty(1.0)
        outcome = scene.refresh_once(lake)
        assert outcome.state == "FAILED"
        assert isinstance(outcome.error, FileMissing), str(outcome.error)
        lost.with_suffix(".away").rename(lost)
        scene.finish(lake, 2.0)
        scene.check(lake)


@pytest.mark.parametrize("error", [EngineLost, EngineOutOfMemory])
def test_an_engine_that_is_lost_while_it_follows_changes_follows_them_again(
    catalog: Catalog, error: type[EngineLost | EngineOutOfMemory]
) -> None:
    with scene.make(catalog.url, catalog.data_path) as lake, playing(DyingOnce(error)):
        scene.change(lake, 1)
        lake.clock = scene.Hasty(1.0)
        outcome = scene.refresh_once(lake)
        assert (outcome.state, outcome.action) == ("SUCCEED", "INCREMENTAL")
        scene.check(lake)
