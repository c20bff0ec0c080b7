"""The shared state while one query is lowered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from headwater.plan.draft import Draft
from headwater.plan.naming import Names
from headwater.plan.scopes import Lowered, Scope

# A WITH query is lowered at each use, so a short query can have thousands of scans.
MAX_SCANS = 300


@dataclass(slots=True)
class LoweringContext:
    """Names, the relations (by lower-case name: true name and columns), and the function that lowers subqueries."""

    names: Names
    relations: Mapping[str, tuple[str, Sequence[str]]]
    query: Callable[[exp.Expr, Scope], Lowered]
    draft: Callable[[exp.Select, Scope], Draft]
    finish: Callable[[Draft], Lowered]
    scans: int = 0
