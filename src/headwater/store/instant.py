"""Timestamps in a database."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa


class Instant(sa.types.TypeDecorator[datetime]):
    """A timestamp in UTC; SQLite catalogs store it in DuckDB's text format."""

    impl = sa.String
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        zoned = sa.TIMESTAMP(timezone=True)
        return dialect.type_descriptor(zoned if dialect.name == "postgresql" else sa.VARCHAR())

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> Any:
        return value if value is None or dialect.name == "postgresql" else instant_text(value)

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> datetime | None:
        return parse_instant(value) if isinstance(value, str) else value


def instant_text(moment: datetime) -> str:
    """DuckDB's text of a TIMESTAMPTZ in UTC.

    >>> instant_text(datetime(2026, 1, 2, 3, 4, 5, 410000, tzinfo=UTC))
    '2026-01-02 03:04:05.41+00'
    """
    text = moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f").rstrip("0").rstrip(".")
    return f"{text}+00"


def parse_instant(text: str) -> datetime:
    """Parse DuckDB's text of a timestamp.

    >>> parse_instant('2026-01-02 03:04:05.41+00').microsecond
    410000
    """
    moment = datetime.fromisoformat(re.sub(r"([+-]\d\d)$", r"\1:00", text))
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
