"""Parse a cron expression."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from croniter import croniter

from headwater.core.freshness import Cron

CRON_HINT = "Write five fields such as '*/5 * * * *': minute, hour, day of month, month, day of week, in UTC."
_LENGTH = 200
_FIELDS = re.compile(r"[0-9a-z*/,#?-]+( [0-9a-z*/,#?-]+){4}", re.IGNORECASE | re.ASCII)
# In croniter, R is a random minute each time, and H needs a seed.
_RANDOM = re.compile(r"(?<![a-z])[rh](?![a-z])", re.IGNORECASE)


class CronInvalid(ValueError):
    """Why a text is no cron expression, as the end of a sentence."""


def parse_cron(text: str) -> Cron:
    """The expression of five fields of cron, optionally as `USING CRON … UTC`, or CronInvalid.

    >>> parse_cron("USING CRON 0  3 1 * * UTC")
    Cron(expression='0 3 1 * *')
    >>> parse_cron("0 0 31 2 *")
    Traceback (most recent call last):
    headwater.schedule.cron_text.CronInvalid: never occurs
    """
    fields = text.split()
    if [word.upper() for word in fields[:2]] == ["USING", "CRON"]:
        fields = fields[2:-1] if fields[-1].upper() == "UTC" else fields[2:]
    expression = " ".join(fields)
    if len(expression) > _LENGTH or not _FIELDS.fullmatch(expression):
        raise CronInvalid("does not have the five fields of a cron expression")
    if _RANDOM.search(expression) or not croniter.is_valid(expression):
        raise CronInvalid("is not a cron expression")
    try:
        croniter(expression, datetime(2000, 1, 1, tzinfo=UTC)).get_next()
    except ValueError:
        raise CronInvalid("never occurs") from None
    return Cron(expression)
