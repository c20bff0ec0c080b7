"""The session settings of definitions."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

# Settings that results depend on. A change here changes the results of definitions.
SEMANTICS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "false",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
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


@cache
def definition_session() -> dict[str, str]:
    """The settings that results depend on, for a new definition."""
    return {**SEMANTICS, "spark.version": version("pyspark")}
