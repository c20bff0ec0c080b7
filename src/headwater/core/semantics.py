"""The session settings of definitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

_DOUBLE_QUOTES = "spark.sql.ansi.doubleQuotedIdentifiers"
_TIMESTAMP = "spark.sql.timestampType"
# Settings that results depend on. A change here changes the results of definitions.
SEMANTICS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "false",
    _TIMESTAMP: "TIMESTAMP_LTZ",
    "spark.sql.timeType.enabled": "true",
    "spark.sql.parquet.fieldId.read.enabled": "true",
    "spark.sql.parquet.fieldId.read.ignoreMissing": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    # If Spark prunes nested columns, it loses their field ids and reads renamed ones as NULL.
    "spark.sql.optimizer.nestedSchemaPruning.enabled": "false",
    # Names and texts become part of SQL, where `${…}` must not be substituted.
    "spark.sql.variable.substitute": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
}
# Settings that give the text of a query its meaning. Each definition keeps those under which it was created.
_OF_NEW_DEFINITIONS = {_DOUBLE_QUOTES: "true", _TIMESTAMP: "TIMESTAMP_NTZ"}


@dataclass(frozen=True, slots=True)
class SqlMode:
    """How the text of a query is read: what double quotes enclose, and whether TIMESTAMP has a time zone.

    By Spark's defaults, as in definitions of earlier releases, double quotes enclose strings and TIMESTAMP has a time zone.
    """

    double_quoted_names: bool
    unzoned_timestamps: bool


@cache
def definition_session() -> dict[str, str]:
    """The settings that results depend on, for a new definition."""
    return {**session_of({}), **_OF_NEW_DEFINITIONS}


def session_of(stored: Mapping[str, str]) -> dict[str, str]:
    """The settings under which a stored definition runs now: those of this release, but its own meaning of the text."""
    own = {name: stored[name] for name in _OF_NEW_DEFINITIONS if name in stored}
    return {**SEMANTICS, "spark.version": version("pyspark"), **own}


def sql_mode(session: Mapping[str, str]) -> SqlMode:
    """How a definition with these settings is read.

    >>> sql_mode({})
    SqlMode(double_quoted_names=False, unzoned_timestamps=False)
    >>> sql_mode(definition_session())
    SqlMode(double_quoted_names=True, unzoned_timestamps=True)
    """
    return SqlMode(session.get(_DOUBLE_QUOTES) == "true", session.get(_TIMESTAMP) == "TIMESTAMP_NTZ")
