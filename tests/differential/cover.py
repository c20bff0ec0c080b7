"""Few histories that cover every feature; run as a program, their numbers for the default seed.

python -m tests.differential.cover
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.differential.history import History, histories
from tests.fix_seed import DEFAULT

# So many histories cover every feature, whatever the seed.
ENOUGH = 50


def features_of(made: Sequence[History]) -> frozenset[str]:
    """What the histories do."""
    return frozenset(name for history in made for step in history.steps for name in step.features)


def cover(made: Sequence[History]) -> list[int]:
    """The numbers of histories that do all that these do: each time the one that adds most per step, less those not needed."""
    wanted, chosen = features_of(made), list[int]()
    while missing := wanted - features_of([made[number] for number in chosen]):
        gains = [len(features_of([history]) & missing) / len(history.steps) for history in made]
        chosen.append(gains.index(max(gains)))
    for number in list(chosen):
        others = [other for other in chosen if other != number]
        if features_of([made[other] for other in others]) == wanted:
            chosen = others
    return sorted(chosen)


if __name__ == "__main__":
    sys.stdout.write(f"{cover(histories(int(DEFAULT), ENOUGH, with_ours=True)[0])}\n")
