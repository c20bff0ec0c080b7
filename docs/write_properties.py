"""Writes docs/reference/properties.md from the properties of headwater.sql."""

from __future__ import annotations

from pathlib import Path

from headwater.sql.properties import PROPERTIES, Property

PAGE = Path(__file__).with_name("reference") / "properties.md"
INTRODUCTION = """\
# Properties of dynamic tables

<!-- Written by `make docs` from src/headwater/sql/properties.py. -->

[CREATE DYNAMIC TABLE](sql.md#create-dynamic-table) takes them in any order, with or without commas and `=`, each at most once;
of TARGET_LAG, REFRESH and SCHEDULE at most one. ALTER … SET and UNSET change those with "yes"; the others need CREATE OR REPLACE.
"""
# Where more is said about a property.
GUIDES = {
    "TARGET_LAG": "../guides/freshness.md#lag",
    "REFRESH": "sql.md#freshness",
    "SCHEDULE": "sql.md#freshness",
    "REFRESH_MODE": "../guides/incremental-refresh.md",
    "DEDUPLICATION": "history.md",
    "WAREHOUSE": "../guides/warehouses.md",
    "DATA_RETENTION_TIME_IN_DAYS": "../guides/maintenance.md#expiry",
    "AUTO_COMPACT": "../guides/maintenance.md#compaction",
    "AFTER": "sql.md#after",
    "DIALECT": "sql.md#dialects",
}


def row(each: Property) -> str:
    """The row of one property."""
    names = ", ".join(f"`{name}`" for name in (each.name, *each.aliases))
    name = f"[{names}]({GUIDES[each.name]})" if each.name in GUIDES else names
    return (
        f"| {name} | {each.values} | {each.default or 'none'} | {'yes' if each.settable else 'no'} | {each.meaning} |"
    )


def page() -> str:
    """The text of docs/reference/properties.md."""
    rows = "\n".join(map(row, PROPERTIES))
    return f"{INTRODUCTION}\n| property | values | default | ALTER | meaning |\n|---|---|---|---|---|\n{rows}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
