"""The page of properties is written from the table of properties, which is complete."""

from __future__ import annotations

from dataclasses import fields

from docs.write_properties import GUIDES, PAGE, page
from headwater.delta.refresh_plan import THRESHOLD
from headwater.sql.properties import BY_NAME, PROPERTIES, Properties


def test_the_page_is_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run make docs"
    assert GUIDES.keys() <= BY_NAME.keys()


def test_every_field_has_a_property() -> None:
    assert {each.name for each in fields(Properties) if each.compare} == {each.field for each in PROPERTIES}


def test_the_documented_threshold_is_the_one_in_effect() -> None:
    assert BY_NAME["CARDINALITY_THRESHOLD"].default == str(THRESHOLD)
