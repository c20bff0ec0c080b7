"""A table and the dynamic tables that follow it, for tests of single refreshes."""

from __future__ import annotations

import math
import os
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from headwater.core.refresh_record import RefreshRecord
from headwater.service.lake import Lake
from tests.duck import Duck
from tests.fix_db import Catalog

# The ways to refresh of which a table was verified in this process.
_VERIFIED: set[str] = set()


@dataclass
class Bench:
    """A lake with a table t, the dynamic table d over it, and DuckDB as another client."""

    lake: Lake
    duck: Duck
    catalog: Catalog
    # Tables whose rows were compared with expected ones, and how they were last refreshed; None to verify them in any case.
    told: dict[str, str | None] = field(default_factory=dict)

    def table(self, columns: str, *rows: str) -> None:
        self.lake.sql(f"CREATE TABLE t ({columns})")
        self.do(*(f"INSERT INTO t VALUES {each}" for each in rows))

    def define(self, query: str, name: str = "d", **properties: str) -> None:
        given = {"CARDINALITY_THRESHOLD": "1", **properties}
        told = " ".join(f"{name} = {value}" for name, value in given.items())
        self.lake.sql(f"CREATE DYNAMIC TABLE {name} {told} AS {query}")

    def do(self, *statements: str) -> None:
        for statement in statements:
            self.lake.sql(statement)

    def elsewhere(self, *statements: str) -> None:
        """Statements of another client."""
        self.duck.attach(self.catalog.duck_uri, self.catalog.data_path)
        for statement in statements:
            self.duck.execute(statement)
        self.duck.detach()

    def refreshed(self, action: str, *rows: tuple[Any, ...], name: str = "d") -> RefreshRecord:
        """Refresh: that was the action, and these are the rows."""
        (outcome,) = self.lake.refresh(name)
        assert f"{outcome.action} {outcome.strategy or ''}".strip() == action, outcome
        self.told.setdefault(name, action)
        self.holds(*rows, name=name)
        return outcome

    def holds(self, *rows: tuple[Any, ...], name: str = "d") -> None:
        found = bag(self.lake.sql(f"SELECT * FROM {name}").rows)
        assert found == bag(rows), found
        self.told.setdefault(name, "REINITIALIZE")

    def verify_at_end(self, name: str) -> None:
        """Have Spark compare the rows at the end of the test, which compares them with nothing else."""
        self.told[name] = None

    def verified(self) -> None:
        """Tables are what Spark makes of their queries too: one for each way to refresh, in the long suites all."""
        for name, way in sorted(self.told.items()):
            if way is None or way not in _VERIFIED or os.environ.get("HEADWATER_LONG"):
                found = self.lake.verify(name)
                assert found.equal, found
                _VERIFIED.add(way or "")

    def agrees(self, query: str, name: str = "d") -> None:
        """DuckDB finds the rows that it computes itself."""
        self.duck.attach(self.catalog.duck_uri, self.catalog.data_path)
        columns = ", ".join(f'"{column}"' for column, _ in self.duck.columns(f"SELECT * FROM {name}"))
        both = (f"SELECT {columns} FROM {name}", f"SELECT * FROM ({query})")
        for one, other in (both, both[::-1]):
            assert self.duck.execute(f"{one} EXCEPT ALL {other}") == [], query
        self.duck.detach()


def bag(rows: Any) -> Counter[tuple[Any, ...]]:
    """Rows as they are counted, with NaN equal to itself."""
    return Counter(tuple("NaN" if isinstance(v, float) and math.isnan(v) else v for v in row) for row in rows)
