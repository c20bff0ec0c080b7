"""Random queries mean what their plans mean; most of them have one."""

from __future__ import annotations

import os
from collections import Counter

import duckdb
import pytest
import sqlglot

from headwater.plan.lower import NotPlanned, lower
from headwater.plan.render import render
from tests.plan.random_queries import RandomQueries
from tests.plan.small_tables import RELATIONS, bag, over_sources, random_rows, tables

_QUERIES = int(os.environ.get("HEADWATER_QUERIES", "100"))


@pytest.mark.parametrize("seed", range(4))
def test_random_queries_give_what_their_plans_give(seed: int) -> None:
    queries, outcomes = RandomQueries(seed), Counter[str]()
    with duckdb.connect() as duck:
        duck.execute(tables())
        duck.execute(random_rows(seed))
        for _ in range(_QUERIES):
            text = over_sources(queries.query())
            wanted = bag(duck, sqlglot.transpile(text, read="spark", write="duckdb")[0])
            try:
                plan = lower(text, RELATIONS)
            except NotPlanned:
                outcomes["not planned"] += 1
                continue
            assert bag(duck, render(plan, "duckdb")) == wanted, text
            outcomes["planned"] += 1
    assert outcomes["planned"] > 0.7 * _QUERIES, outcomes
