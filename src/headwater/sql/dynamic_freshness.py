"""Parse TARGET_LAG, REFRESH and SCHEDULE: the required freshness of a dynamic table."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from headwater.core.freshness import Cron, Downstream, Interval, OnDemand, TargetLag
from headwater.schedule.cron_text import CRON_HINT, CronInvalid, parse_cron
from headwater.sql.cursor import Cursor, short
from headwater.sql.tokens import TokenKind

LONGEST_DAYS = 36_500
# Largest first, for rendering.
UNITS = {"DAY": 86_400, "HOUR": 3_600, "MINUTE": 60, "SECOND": 1}

_SPELLINGS = {
    spelling: UNITS[unit]
    for unit, spellings in {
        "SECOND": "S SEC SECS SECOND SECONDS",
        "MINUTE": "M MIN MINS MINUTE MINUTES",
        "HOUR": "H HR HRS HOUR HOURS",
        "DAY": "D DAY DAYS",
    }.items()
    for spelling in spellings.split()
}
_DURATION = re.compile(r"\s*(\d+)\s*([a-z]+)\s*", re.IGNORECASE | re.ASCII)


def parse_target_lag(cursor: Cursor) -> TargetLag | Downstream:
    """Parse the value of TARGET_LAG: a duration, quoted or not, or DOWNSTREAM."""
    token = cursor.here
    if token.kind in (TokenKind.WORD, TokenKind.STRING) and token.text.strip().upper() == "DOWNSTREAM":
        cursor.advance()
        return Downstream()
    return TargetLag(
        _duration(
            cursor,
            "TARGET_LAG",
            "Write a duration such as '5 minutes', in seconds, minutes, hours or days, or DOWNSTREAM.",
        )
    )


def parse_refresh(cursor: Cursor) -> Interval | OnDemand:
    """Parse the value of REFRESH: an interval and optionally its start, in either order; or ON DEMAND."""
    if cursor.take_words("ON", "DEMAND"):
        return OnDemand()
    start_at = _start(cursor)
    if not cursor.take_words("INTERVAL"):
        raise cursor.unexpected("INTERVAL" if start_at else "INTERVAL, START WITH or ON DEMAND")
    seconds = _duration(
        cursor, "INTERVAL", "Write an interval such as INTERVAL 5 MINUTE, in seconds, minutes, hours or days."
    )
    if start_at is None:
        start_at = _start(cursor)
    return Interval(seconds, start_at)


def parse_schedule(cursor: Cursor) -> Cron:
    """Parse the value of SCHEDULE: five fields of cron, optionally as 'USING CRON … UTC'."""
    token = cursor.here
    text = cursor.string("schedule")
    try:
        return parse_cron(text)
    except CronInvalid as wrong:
        raise cursor.syntax(f'the schedule "{short(text)}" {wrong}', hint=CRON_HINT, token=token) from None


def parse_moment(cursor: Cursor, what: str) -> tuple[str, datetime]:
    """Parse a timestamp string, optionally after TIMESTAMP: the text as written, and the time in UTC, the default zone."""
    cursor.take_words("TIMESTAMP")
    token = cursor.here
    text = cursor.string(what)
    try:
        moment = datetime.fromisoformat(text.strip())
        return text, moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise cursor.syntax(
            f'"{short(text)}" is not a timestamp',
            hint="Write a timestamp such as '2026-01-31 08:00:00' or '2026-01-31T08:00:00+01:00'.",
            token=token,
        ) from None


def _start(cursor: Cursor) -> datetime | None:
    return parse_moment(cursor, "start")[1] if cursor.take_words("START", "WITH") else None


def _duration(cursor: Cursor, name: str, hint: str) -> int:
    """The seconds of `5 minutes`, `'5 minutes'` or `'5' minutes`."""
    token = cursor.here
    written = _written_duration(cursor)
    found = _DURATION.fullmatch(written)
    if found is None or found[2].upper() not in _SPELLINGS:
        raise cursor.syntax(f'{name} can\'t be "{short(written)}"', hint=hint, token=token)
    number = int(found[1]) if len(found[1]) <= 12 else LONGEST_DAYS * UNITS["DAY"] + 1
    seconds = number * _SPELLINGS[found[2].upper()]
    if seconds < 1:
        raise cursor.syntax(f"{name} is shorter than a second", hint=hint, token=token)
    if seconds > LONGEST_DAYS * UNITS["DAY"]:
        raise cursor.syntax(f"{name} is longer than {LONGEST_DAYS:,} days", hint=hint, token=token)
    return seconds


def _written_duration(cursor: Cursor) -> str:
    """The tokens of a duration, which may be invalid."""
    sign = cursor.advance().text if cursor.at_symbol("-", "+") else ""
    number = cursor.here
    if number.kind not in (TokenKind.NUMBER, TokenKind.STRING):
        raise cursor.unexpected("a duration such as '5 minutes'")
    cursor.advance()
    is_whole = number.kind is TokenKind.STRING and not number.text.strip().isdigit()
    if is_whole or cursor.here.kind is not TokenKind.WORD or cursor.at_words("AS"):
        return sign + number.text
    return f"{sign}{number.text} {cursor.advance().text}"


def largest_unit(seconds: int) -> tuple[int, str]:
    """A duration in the largest unit that divides it.

    >>> largest_unit(7200), largest_unit(90)
    ((2, 'HOUR'), (90, 'SECOND'))
    """
    unit = next(unit for unit, length in UNITS.items() if seconds % length == 0)
    return seconds // UNITS[unit], unit
