"""Patterns name files of days and periods, and find the day of a name."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.loads.file_pattern import FilePattern, PatternInvalid, date_in_name
from headwater.loads.period import Period

DAY = date(2024, 1, 5)
PATHS = [
    ("{date}.parquet", "%Y-%m-%d", "daily", "2024-01-05-1f.parquet"),
    ("{date}.parquet", "%Y%m%d", "daily", "20240105-1f.parquet"),
    ("{date}.parquet", "%y.%j", "daily", "24.005-1f.parquet"),
    ("{date}.parquet", "%G-W%V-%u", "daily", "2024-W01-5-1f.parquet"),
    ("year={year}/month={month}/day={day}/data.parquet", "%Y-%m-%d", "daily",
     "year=2024/month=01/day=05/data-1f.parquet"),
    ("{year}-{month}.parquet", "%Y-%m-%d", "monthly", "2024-01-1f.parquet"),
    ("{year}-W{week}.parquet", "%Y-%m-%d", "weekly", "2024-W01-1f.parquet"),
    ("{year}.parquet", "%Y-%m-%d", "yearly", "2024-1f.parquet"),
    ("{year}/{date}.parquet", "%Y-%m-%d", "daily", "2024/2024-01-05-1f.parquet"),
    ("{year}-W{week}/{date}.parquet", "%Y-%m-%d", "daily", "2024-W01/2024-01-05-1f.parquet"),
    ("data.parquet", "%Y-%m-%d", None, "data-1f.parquet"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "form", "unit", "path"), PATHS)
def test_a_file_is_named_after_its_day_and_an_id(text: str, form: str, unit: str | None, path: str) -> None:
    pattern = FilePattern.parse(text, date_format=form)
    assert (pattern.unit, pattern.path_of(DAY, "1f")) == (unit, path)


def test_weeks_count_with_iso_years() -> None:
    pattern = FilePattern.parse("{year}-W{week}.parquet")
    assert pattern.path_of(date(2024, 12, 30), "1f") == "2025-W01-1f.parquet"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{data}.parquet", 'the pattern "{data}.parquet" has the unknown placeholder {data}'),
        ("{}.parquet", 'the pattern "{}.parquet" has the unknown placeholder {}'),
        ("{date.parquet", 'the pattern "{date.parquet" has a single brace'),
        ("{month}.parquet", 'the pattern "{month}.parquet" has {month} without {year}'),
        ("{year}{day}.parquet", 'the pattern "{year}{day}.parquet" has {day} without {month}'),
        ("{week}.parquet", 'the pattern "{week}.parquet" has {week} without {year}'),
        ("{year}{month}{week}.parquet", 'the pattern "{year}{month}{week}.parquet" has weeks and months'),
        ("../{date}.parquet", 'the path "../{date}.parquet" has ..'),
        ("/{date}.parquet", 'the path "/{date}.parquet" is absolute'),
        ("C:{date}.parquet", 'the path "C:{date}.parquet" is absolute'),
        ("s3://b/{date}.parquet", 'the path "s3://b/{date}.parquet" is absolute'),
        ("a//{date}.parquet", 'the path "a//{date}.parquet" has an empty part'),
        ("*{date}.parquet", "the path has the character '*'"),
        ("{date}.csv", 'the pattern "{date}.csv" does not name a Parquet file'),
        ("{date}/.parquet", 'the pattern "{date}/.parquet" does not name a Parquet file'),
    ],
)
def test_a_pattern_that_names_no_file_is_refused(text: str, message: str) -> None:
    with pytest.raises(PatternInvalid) as caught:
        FilePattern.parse(text)
    assert caught.value.message == message
    assert caught.value.hint


def test_an_unknown_placeholder_has_the_nearest_and_all_that_are_allowed() -> None:
    with pytest.raises(PatternInvalid) as caught:
        FilePattern.parse("{data}.parquet")
    assert caught.value.hint == "Did you mean {date}? Use {date}, {year}, {month}, {day}, {week}."


@pytest.mark.parametrize("form", ["%Y-%m", "%d", "%Y-%m-%d %H", "%Y/%m/%d", "%", "{date}", "%Y%Y%m%d", "", "%Y:%m:%d"])
def test_a_date_format_identifies_a_day(form: str) -> None:
    with pytest.raises(PatternInvalid):
        FilePattern.parse("{date}.parquet", date_format=form)


@pytest.mark.parametrize(
    ("pattern", "name", "day"),
    [
        ("in/sales_{date}.csv", "in/sales_2024-01-05.csv", DAY),
        ("in/sales_{date}.csv", "sales_2024-01-05.csv", DAY),
        ("in/sales_{date}.csv", "a/b/sales_2024-01-05.csv", DAY),
        ("in/sales_{date}.csv", "in/sales_2024-02-30.csv", None),
        ("in/sales_{date}.csv", "in/sales_2024-01-05.csv.gz", None),
        ("in/sales_{date}.csv*", "in/sales_2024-01-05.csv.gz", DAY),
        ("in/*_{date}.[ct]s?", "in/x_y_2024-01-05.tsv", DAY),
        ("in/{date}/sales.csv", "out/2024-01-05/sales.csv", DAY),
        ("in/{date}/sales.csv", "sales.csv", None),
        ("{year}/{month}/{day}/{date}.csv", "2024/01/05/2024-01-05.csv", DAY),
        ("{year}/{month}/{day}/{date}.csv", "2024/01/06/2024-01-05.csv", None),
        ("{year}-W{week}.csv", "2025-W01.csv", date(2024, 12, 30)),
        ("{year}-W{week}.csv", "2024-W53.csv", None),
        ("{year}-W{week}/{date}.csv", "2024-W01/2024-01-05.csv", DAY),
        ("{year}-W{week}/{date}.csv", "2024-W02/2024-01-05.csv", None),
        ("{year}{month}.csv", "202401.csv", date(2024, 1, 1)),
        ("in/", "in/2024-01-05.csv", None),
    ],
)
def test_the_day_of_a_name(pattern: str, name: str, day: date | None) -> None:
    assert FilePattern.parse(pattern, source=True).match(name) == day


def test_a_glob_finds_the_files_of_all_days() -> None:
    assert FilePattern.parse("in/*{date}_{year}.csv", source=True).glob() == "in/*-*-*_*.csv"


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("x/2023-01-01/sales_2024-01-05.csv.gz", DAY),
        ("2024-01-05_2024-01-05.csv", DAY),
        ("2024-01-05_2024-01-06.csv", None),
        ("12024-01-05.csv", None),
        ("2024-01-055.csv", None),
        ("2024-13-05.csv", None),
    ],
)
def test_the_one_date_in_a_name(name: str, day: date | None) -> None:
    assert date_in_name(name) == day


@given(st.dates(date(1970, 1, 1), date(2067, 12, 31)), st.sampled_from(PATHS))
def test_a_name_gives_back_its_day_or_the_first_day_of_its_period(day: date, row: tuple[str, str, str, str]) -> None:
    pattern = FilePattern.parse(row[0], date_format=row[1])
    first = Period.of(day, pattern.unit).start if pattern.unit else None
    assert pattern.match(pattern.name_of(day)) == first


@given(st.text(alphabet="{}dateyrmonhwk/.%-*[]?! x\n", max_size=30), st.booleans(), st.text(max_size=30))
def test_any_pattern_is_read_or_refused(text: str, source: bool, name: str) -> None:
    try:
        pattern = FilePattern.parse(text, source=source)
    except PatternInvalid as refused:
        assert refused.hint  # noqa: PT017
        return
    pattern.match(name)
    pattern.path_of(DAY, "1f") if not source else pattern.name_of(DAY)
