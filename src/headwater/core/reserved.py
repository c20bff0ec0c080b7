"""Words that must be quoted as names."""

from __future__ import annotations

# `SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'`; a test compares.
RESERVED = frozenset(
    """
    all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default
    deferrable desc describe distinct do else end except false fetch for foreign from group having in initially
    intersect into lambda lateral leading limit not null offset on only or order pivot pivot_longer pivot_wider placing
    primary qualify references returning select show some summarize symmetric table then to trailing true union unique
    unpivot using variadic when where window with
    """.split()  # noqa: SIM905 - seventy quoted words are harder to read
)
