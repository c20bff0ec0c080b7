"""Dynamic tables over names with capitals of any script."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from headwater.core.errors import DefinitionRefused
from headwater.service.lake import Lake
from headwater.sql.letter_case import same_to_spark

Check = Callable[[Lake, str, str], None]
pytestmark = pytest.mark.usefixtures("spark")


def test_a_dynamic_table_and_its_sources_have_names_in_capitals_of_any_script(lake: Lake, fresh: Check) -> None:
    name = "ÜberSICHT İSTANBUL ΟΔΟΣ Москва"
    lake.sql(f'CREATE SCHEMA "{name}"; CREATE TABLE "{name}"."{name}" ("{name}" INTEGER, "X{name}" INTEGER)')
    lake.sql(f'INSERT INTO "{name}"."{name}" VALUES (1, 10), (1, 20), (2, 5), (NULL, 1)')
    lake.sql(
        f"CREATE DYNAMIC TABLE `{name}`.`D{name}` CARDINALITY_THRESHOLD = 1 AS "
        f"SELECT `{name}`, sum(t.`x{name}`) AS `S{name}` FROM `{name}`.`{name}` AS t GROUP BY `{name}`",
        dialect="spark",
    )
    query = f'SELECT "{name}", sum("X{name}") AS "S{name}" FROM "{name}"."{name}" GROUP BY 1'
    fresh(lake, f'"{name}"."d{name}"', query)
    lake.sql(f'INSERT INTO "{name}"."{name}" VALUES (2, 7); DELETE FROM "{name}"."{name}" WHERE "X{name}" = 20')
    assert [str(o.action) for o in lake.refresh(f'"{name}"."d{name}"')] == ["INCREMENTAL"]
    fresh(lake, f'"{name}"."D{name}"', query)
    lake.sql(
        f'ALTER DYNAMIC TABLE "{name}"."d{name}" RENAME TO "F{name}"; COMMENT ON TABLE "{name}"."f{name}" IS \'a\''
    )
    lake.sql(f'ALTER DYNAMIC TABLE "{name}"."f{name}" SUSPEND; ALTER DYNAMIC TABLE "{name}"."F{name}" RESUME')
    lake.sql(f'INSERT INTO "{name}"."{name}" VALUES (3, 7)')
    lake.sql(f'DROP DYNAMIC TABLE "{name}"."F{name}"; UNDROP DYNAMIC TABLE "{name}"."f{name}"')
    fresh(lake, f'"{name}"."F{name}"', query)


def test_names_that_spark_does_not_tell_apart_are_refused_by_name(lake: Lake) -> None:
    lake.sql('CREATE TABLE two ("É" INTEGER, "é" INTEGER); CREATE TABLE one ("É" INTEGER, k INTEGER)')
    for query in (
        "SELECT 1 AS x FROM two",
        "SELECT `é` FROM one",
        "SELECT `É` AS a, k AS `é` FROM one",
        "WITH `Ü` AS (SELECT 1 AS a), `ü` AS (SELECT 2 AS a) SELECT `Ü`.a FROM `Ü`, `ü`",
        "SELECT \N{KELVIN SIGN} FROM one".replace("\N{KELVIN SIGN}", "`\N{KELVIN SIGN}`"),
    ):
        with pytest.raises(DefinitionRefused, match="differ only in letter case") as caught:
            lake.sql(f"CREATE DYNAMIC TABLE d AS {query}")
        assert caught.value.position is not None
    with pytest.raises(DefinitionRefused, match="differ only in letter case"):
        lake.sql('CREATE DYNAMIC TABLE d ("Ü", "ü") AS SELECT k, k + 1 FROM one')


def test_the_names_that_spark_takes_for_the_same_are_known(spark: SparkSession) -> None:
    letters = [chr(code) for code in (*range(0x80, 0x600), *range(0x1E00, 0x2190))]
    cased = [letter for letter in letters if letter.upper() != letter or letter.lower() != letter]
    pairs = [
        ("I", "ı"),
        ("i", "İ"),
        ("K", "\N{KELVIN SIGN}"),
        ("Σ", "ς"),
        ("σ", "ς"),
        ("ß", "ẞ"),
        ("SS", "ß"),
        ("é", "e"),
    ]
    for one, other in [*pairs, *((letter, letter.swapcase()) for letter in cased[::17])]:
        if one == other:
            continue
        try:
            spark.sql(f"SELECT `{other}` FROM (SELECT 1 AS `{one}`)")
            same = True
        except AnalysisException:
            same = False
        assert bool(same_to_spark([one, other])) >= same, (one, other)
    assert [bool(same_to_spark(pair)) for pair in pairs] == [True] * 6 + [False] * 2
