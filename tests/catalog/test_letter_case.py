"""Names are compared without regard to the case of A to Z, and of no other letters, as DuckDB does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import headwater
from headwater.core.errors import AlreadyExists, NotFound
from headwater.core.names import folded
from headwater.service.lake import Lake
from tests.duck import Duck, DuckError
from tests.fix_db import Catalog

pytestmark = pytest.mark.postgres

# German, Turkish, Greek with its two sigmas, Cyrillic, composed and combining accents, the Kelvin sign, a ligature, Deseret.
PAIRS = [
    ("Überblick", "überblick"),
    ("STRASSE", "straße"),
    ("ẞ", "ß"),
    ("İstanbul", "istanbul"),
    ("I", "ı"),
    ("ΟΔΟΣ", "οδος"),
    ("οδοσ", "οδος"),
    ("Москва", "москва"),
    ("É", "é"),
    ("E\N{COMBINING ACUTE ACCENT}", "e\N{COMBINING ACUTE ACCENT}"),
    ("\N{LATIN SMALL LETTER E WITH ACUTE}", "e\N{COMBINING ACUTE ACCENT}"),
    ("\N{KELVIN SIGN}", "k"),
    ("ﬁ", "fi"),
    ("𐐀", "𐐨"),
    ("Zoë", "zOë"),
    ("A_Z[", "a_z["),
]


@pytest.fixture
def lake(catalog: Catalog) -> Iterator[Lake]:
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        yield opened


def test_two_names_are_the_same_to_headwater_and_to_duckdb(lake: Lake, duck: Duck, catalog: Catalog) -> None:
    lake.sql("CREATE TABLE first (x INTEGER)")
    duck.attach(catalog.duck_uri, catalog.data_path)
    for one, other in PAIRS:
        same = folded(one) == folded(other)
        lake.sql(f'CREATE TABLE "{one}" (x INTEGER)')
        try:
            duck.execute(f'CREATE TABLE "{other}" (x INTEGER)')
            created = True
        except DuckError:
            created = False
        assert created is not same, (one, other)
        if created:
            with pytest.raises(AlreadyExists):
                lake.sql(f'CREATE TABLE "{other}" (x INTEGER)')
            lake.sql(f'DROP TABLE "{other}"')
        else:
            with pytest.raises(AlreadyExists):
                lake.sql(f'CREATE TABLE "{other}" (x INTEGER)')
        lake.sql(f'DROP TABLE "{one}"')
        assert [table.name for table in lake.tables()] == ["first"]


@pytest.mark.parametrize(
    "name",
    ["Überblick", "ÇİĞDEM", "ΟΔΟΣ", "МОСКВА", "Straße", "E\N{COMBINING ACUTE ACCENT}T\N{COMBINING ACUTE ACCENT}E"],
)
def test_a_name_in_capitals_of_any_script_is_found_again(lake: Lake, duck: Duck, catalog: Catalog, name: str) -> None:
    other = "".join(c.lower() if c.isascii() else c for c in name)
    lake.sql(f'CREATE SCHEMA "{name}"; CREATE TABLE "{other}"."{name}" ("{name}" INTEGER, "X{name}" INTEGER)')
    lake.sql(f"""
        COMMENT ON TABLE "{name}"."{other}" IS 'all';
        ALTER TABLE "{name}"."{other}" ADD COLUMN "Y{name}" INTEGER;
        ALTER TABLE "{name}"."{name}" RENAME COLUMN "x{other}" TO "Z{name}";
        ALTER TABLE "{name}"."{name}" DROP COLUMN "y{other}";
        INSERT INTO "{name}"."{name}" ("{name}", "z{other}") VALUES (1, 2);
        ALTER TABLE "{name}"."{name}" RENAME TO "{name}2"
    """)
    duck.attach(catalog.duck_uri, catalog.data_path)
    assert duck.execute(f'SELECT "{other}", "z{other}" FROM "{other}"."{other}2"') == [(1, 2)]
    assert duck.columns(f'SELECT * FROM "{name}"."{name}2"') == [(name, "INTEGER"), (f"Z{name}", "INTEGER")]
    lake.sql(f'DROP TABLE "{name}"."{other}2"')
    with pytest.raises(NotFound):
        lake.sql(f'DROP TABLE "{name}"."{name}2"')
    lake.sql(f'DROP SCHEMA "{other}"')
