"""Carries a history out on a lake."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.differential.draft import Step
from tests.differential.history import History
from tests.differential.ours import OurSide
from tests.duck import Duck, DuckError

META = "__ducklake_metadata_lake"
# What the catalog shows after a history, as a check on what the generator believes that its statements do.
OBSERVED = (
    "inlined_insert",
    "inlined_delete",
    "inserted_into_table",
    "deleted_from_table",
    "inline_flush",
    "merge_adjacent",
    "rewrite_delete",
    "plain delete file",
    "partial delete file",
    "partial data file",
    "whole file ended",
    "name-mapped file",
)


class StepFailed(AssertionError):
    """A step that should have been possible was refused."""

    def __init__(self, history: History, number: int, step: Step, reason: str) -> None:
        made = "\n".join((*step.statements, *map(str, step.operations)))
        super().__init__(f"seed {history.seed}, step {number} ({', '.join(step.features)}): {reason}\n{made}")
        self.history = history
        self.number = number


@dataclass(slots=True)
class Ran:
    """What a run saw in the catalog."""

    observed: Counter[str] = field(default_factory=Counter)


def run(history: History, duck: Duck, ours: OurSide | None, folder: Path) -> Ran:
    """Carry out all steps on the attached lake; foreign files go to `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    dice = Random(history.seed)
    ran = Ran()
    seen = -1
    for number, step in enumerate(history.steps):
        try:
            if step.operations:
                assert ours is not None, "the history has steps of ours, and nobody to perform them"
                ours.perform(step.operations)
            else:
                duck.batch([_fill(sql, duck, dice, folder) for sql in step.statements])
            if step.fresh:
                duck.reattach()
        except DuckError as error:
            if step.tolerates and step.tolerates in error.message:
                continue
            raise StepFailed(history, number, step, str(error)) from error
        seen = _observe(duck, ran.observed, seen)
    # After a flush, a session shows columns at old snapshots that came later; a new one reads the catalog.
    duck.reattach()
    return ran


def _fill(sql: str, duck: Duck, dice: Random, folder: Path) -> str:
    sql = sql.replace("@ext@", str(folder))
    if "@versions@" in sql:
        ids = [row[0] for row in duck.execute(f"SELECT snapshot_id FROM {META}.ducklake_snapshot ORDER BY 1")]
        old = ids[:-1]
        chosen = sorted(dice.sample(old, dice.randint(1, max(1, len(old) // 2)))) if old else []
        sql = sql.replace("@versions@", f"[{', '.join(map(str, chosen))}]::UBIGINT[]")
    return sql


def _observe(duck: Duck, observed: Counter[str], seen: int) -> int:
    changes, facts = duck.batch(
        [
            f"SELECT snapshot_id, changes_made FROM {META}.ducklake_snapshot_changes WHERE snapshot_id > {seen}",
            f"""SELECT
                (SELECT count(*) FROM {META}.ducklake_delete_file WHERE partial_max IS NULL),
                (SELECT count(*) FROM {META}.ducklake_delete_file WHERE partial_max IS NOT NULL),
                (SELECT count(*) FROM {META}.ducklake_data_file WHERE partial_max IS NOT NULL),
                (SELECT count(*) FROM {META}.ducklake_data_file WHERE end_snapshot IS NOT NULL),
                (SELECT count(*) FROM {META}.ducklake_data_file WHERE mapping_id IS NOT NULL)""",
        ]
    )
    for _, made in changes:
        for kind in OBSERVED[:7]:
            observed[kind] += f"{kind}:" in (made or "")
    for name, count in zip(OBSERVED[7:], facts[0], strict=True):
        observed[name] = max(observed[name], count)
    return max((row[0] for row in changes), default=seen)
