"""Configs of loaded tables: defaults, and each mistake with its place and what is allowed."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.core.errors import ConfigInvalid, Position
from headwater.core.freshness import Cron
from headwater.core.names import TableName
from headwater.loads.table_config import TableConfig, read_table_config

FULL = """\
name: shop.sales
description: Daily sales
storage: {type: local, base_path: ./data/sales, format: parquet}
partitioning:
  strategy: hive
  pattern: "year={year}/month={month}/day={day}/part.parquet"
  date_format: "%Y%m%d"
compaction:
  enabled: false
  trigger: {type: schedule, schedule: "0 3 1 * *", delay_days: 7}
  strategy:
    type: weekly
    output_pattern: "{year}-W{week}.parquet"
    delete_source: true
    lookback_months: 2
    target_file_size: 512MB
ingestion:
  dataset_config: sales_dataset.yaml
  source: /srv/in/sales_{date}.csv*
  schedule: "0 2 * * *"
  schema: evolve
  encoding: Latin-1
  max_rejects: 2.5%
  on_date_mismatch: fail
  format: csv
  delimiter: "\\t"
  header: false
"""


def read(text: str) -> TableConfig:
    return read_table_config(text, "t.yaml")


def refused(text: str) -> ConfigInvalid:
    with pytest.raises(ConfigInvalid) as caught:
        read(text)
    return caught.value


def test_every_key_is_read() -> None:
    config = read(FULL)
    assert (config.table, config.description) == (TableName("shop", "sales"), "Daily sales")
    assert (config.storage.base_path, config.storage.folder) == ("./data/sales", "data/sales/")
    part = config.partitioning
    assert (part.strategy, part.pattern.text, part.date_format) == (
        "hive",
        "year={year}/month={month}/day={day}/part.parquet",
        "%Y%m%d",
    )
    trigger, strategy = config.compaction.trigger, config.compaction.strategy
    assert config.compaction.enabled is False
    assert (trigger.type, trigger.schedule, trigger.delay_days) == ("schedule", Cron("0 3 1 * *"), 7)
    assert (strategy.type, strategy.output_pattern.text) == ("weekly", "{year}-W{week}.parquet")
    assert (strategy.delete_source, strategy.lookback_months, strategy.target_file_size) == (True, 2, 512_000_000)
    ingestion = config.ingestion
    assert ingestion.source is not None
    assert (ingestion.dataset_config, ingestion.source.text) == ("sales_dataset.yaml", "/srv/in/sales_{date}.csv*")
    assert (ingestion.source.date_format, ingestion.schedule) == ("%Y%m%d", Cron("0 2 * * *"))
    assert (ingestion.schema, ingestion.encoding, ingestion.max_rejects) == ("evolve", "ISO-8859-1", Decimal("0.025"))
    assert (ingestion.on_date_mismatch, ingestion.format) == ("fail", "csv")
    assert (ingestion.delimiter, ingestion.header) == ("\t", False)
    assert (config.text, config.path, len(config.content_hash)) == (FULL, "t.yaml", 64)


@pytest.mark.parametrize(
    "text",
    [
        "name: sales",
        "name: sales\nstorage:\npartitioning:\ncompaction:\ningestion:\n",
        "name: sales\ncompaction:\n  trigger:\n  strategy: {}\n",
    ],
)
def test_what_is_left_out_has_defaults(text: str) -> None:
    config = read(text)
    assert config.table == TableName("main", "sales")
    assert (config.storage.base_path, config.storage.type, config.storage.format) == ("sales/", "local", "parquet")
    assert (config.partitioning.strategy, config.partitioning.pattern.text) == ("flat", "{date}.parquet")
    assert config.compaction.enabled is True
    assert (config.compaction.trigger.type, config.compaction.trigger.delay_days) == ("manual", 0)
    strategy = config.compaction.strategy
    assert (strategy.type, strategy.output_pattern.text) == ("monthly", "{year}-{month}.parquet")
    assert (strategy.delete_source, strategy.lookback_months, strategy.target_file_size) == (False, None, None)
    ingestion = config.ingestion
    assert (ingestion.dataset_config, ingestion.source, ingestion.schedule, ingestion.format) == (None,) * 4
    assert (ingestion.schema, ingestion.encoding, ingestion.max_rejects) == ("freeze", "UTF-8", Decimal("0.1"))
    assert (ingestion.on_date_mismatch, ingestion.delimiter, ingestion.header) == ("warn", ",", True)


PARTIAL = [
    ('trigger: {schedule: "0 3 1 * *", delay_days: 7}', ("schedule", "monthly", False), ()),
    ('trigger: {type: schedule, schedule: "0 3 1 * *"}', ("schedule", "monthly", False), ()),
    ("strategy: {type: weekly, output_pattern: '{year}-W{week}.parquet'}", ("manual", "weekly", False), ()),
    ("{trigger: {delay_days: 30}, strategy: {delete_source: true}}", ("manual", "monthly", True), ()),
    (
        'trigger: {type: manual, schedule: "0 3 1 * *"}',
        ("manual", "monthly", False),
        ("compaction.trigger.schedule has no effect while compaction.trigger.type is manual",),
    ),
]


@pytest.mark.parametrize(("block", "found", "notes"), PARTIAL, ids=[block for block, _, _ in PARTIAL])
def test_the_partial_blocks_of_the_seed_work(block: str, found: tuple[str, str, bool], notes: tuple[str, ...]) -> None:
    config = read(f"name: sales\ncompaction:\n  {block}\n")
    compaction = config.compaction
    assert compaction.enabled is True
    assert (compaction.trigger.type, compaction.strategy.type, compaction.strategy.delete_source) == found
    assert config.notes == notes


def test_hive_and_the_other_types_have_default_patterns() -> None:
    config = read("name: s\npartitioning: {strategy: hive}\ncompaction: {strategy: {type: yearly}}")
    assert config.partitioning.pattern.text == "year={year}/month={month}/day={day}/data.parquet"
    assert config.compaction.strategy.output_pattern.text == "year={year}/data.parquet"


def test_an_unknown_key_has_its_place_and_the_nearest_key() -> None:
    error = refused("name: sales\ncompation:\n  enabled: true\n")
    assert str(error) == (
        'error[HW-LOAD-001]: table config "t.yaml" has the unknown key "compation" (line 2, column 1)\n'
        "detail: The keys are name, description, storage, partitioning, compaction, ingestion.\n"
        "hint: Did you mean compaction?"
    )
    assert error.path == "t.yaml"
    assert error.source_line == "LINE 2: compation:\n        ^"


# What follows `name: sales`, from line 2 on.
WRONG = [
    ("storage: {format: csv}", '"storage.format" can\'t be "csv"', (2, 19), "Use parquet."),
    ("storage: {type: s3}", '"storage.type" can\'t be "s3"', (2, 17), "Use local."),
    ("storage: 5", '"storage" can\'t be 5', (2, 10), "Write type, base_path or format below it."),
    ("storage: {base_path: /a}", '"storage.base_path": the path "/a" is absolute', (2, 22), None),
    ("storage: {base_path: a/../b}", '"storage.base_path": the path "a/../b" has ..', (2, 22), None),
    ("storage: {base_path: ./}", '"storage.base_path" can\'t be "./"', (2, 22), None),
    ("partitioning:\n  pattern: '{data}.parquet'",
     '"partitioning.pattern": the pattern "{data}.parquet" has the unknown placeholder {data}', (3, 12),
     "Did you mean {date}? Use {date}, {year}, {month}, {day}, {week}."),
    ("partitioning: {pattern: '{year}-{month}.parquet'}",
     '"partitioning.pattern" can\'t be "{year}-{month}.parquet"', (2, 25),
     "Name each day: use {date}, or {year}, {month} and {day}."),
    ("partitioning: {pattern: 'year={year}/{date}.parquet'}",
     '"partitioning.pattern" can\'t be "year={year}/{date}.parquet"', (2, 25),
     "Set partitioning.strategy to hive, or name a file without folders."),
    ("partitioning: {strategy: hive, pattern: '{date}.parquet'}",
     '"partitioning.pattern" can\'t be "{date}.parquet"', (2, 41), None),
    ("partitioning: {strategy: deep}", '"partitioning.strategy" can\'t be "deep"', (2, 26), "Use flat or hive."),
    ("partitioning: {date_format: '%Y-%m'}",
     '"partitioning.date_format": the date format "%Y-%m" does not identify a day', (2, 29), None),
    ("compaction: {enabled: yes}", '"compaction.enabled" can\'t be "yes"', (2, 23), "Use true or false."),
    ("compaction: {trigger: {type: schedule}}", '"compaction.trigger.schedule" is missing', (2, 30), None),
    ("compaction: {trigger: {schedule: 0 0 31 2 *}}", '"compaction.trigger.schedule" never occurs', (2, 34), None),
    ("compaction: {trigger: {delay_days: -1}}", '"compaction.trigger.delay_days" can\'t be -1', (2, 36),
     "Write a number of days from 0 to 36500."),
    ("compaction: {trigger: {delay_days: true}}", '"compaction.trigger.delay_days" can\'t be true', (2, 36), None),
    ("compaction: {strategy: {type: weekly, output_pattern: '{year}-{month}.parquet'}}",
     '"compaction.strategy.output_pattern" can\'t be "{year}-{month}.parquet"', (2, 55),
     "Name the weekly period, as in {year}-W{week}.parquet."),
    ("compaction: {strategy: {target_file_size: big}}",
     '"compaction.strategy.target_file_size" can\'t be "big"', (2, 43), None),
    ("ingestion: {schema: strict}", '"ingestion.schema" can\'t be "strict"', (2, 21),
     "Use freeze, evolve or discard."),
    ("ingestion: {encoding: klingon}", '"ingestion.encoding" can\'t be "klingon"', (2, 23), None),
    ("ingestion: {max_rejects: 5}", '"ingestion.max_rejects" can\'t be 5', (2, 26),
     "Write a share of the rows such as 0.1 or 10%, at most 1 or 100%."),
    ("ingestion: {max_rejects: .nan}", '"ingestion.max_rejects" can\'t be .nan', (2, 26), None),
    ("ingestion: {max_rejects: [1]}", '"ingestion.max_rejects" can\'t be a list', (2, 26), None),
    ("ingestion: {delimiter: ab}", '"ingestion.delimiter" can\'t be "ab"', (2, 24), None),
    ("ingestion: {format: json, header: true}", '"ingestion.header" applies to csv alone', (2, 35), None),
    ('ingestion: {schedule: "0 2 * * *"}', '"ingestion.source" is missing', (2, 23), None),
    ("ingestion: {source: 'in/{dat}.csv'}",
     '"ingestion.source": the pattern "in/{dat}.csv" has the unknown placeholder {dat}', (2, 21), None),
    ("name: again", 'the key "name" is written twice', (2, 1), None),
    ("a: &x 1", 'the anchor "&x" is not supported', (2, 4), None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "at", "hint"), WRONG, ids=[message for _, message, _, _ in WRONG])
def test_a_wrong_value_has_its_place_and_what_is_allowed(
    text: str, message: str, at: tuple[int, int], hint: str | None
) -> None:
    error = refused(f"name: sales\n{text}\n")
    assert (error.message, error.position) == (f'table config "t.yaml": {message}', Position(*at))
    assert error.hint
    assert hint in (None, error.hint)


@pytest.mark.parametrize("name", ["a;b", "1a", "a.b.c", "'a b'", "ä", "''"])
def test_a_name_is_an_identifier(name: str) -> None:
    error = refused(f"name: {name}")
    assert error.message.startswith('table config "t.yaml": "name" can\'t be ')
    assert error.position == Position(1, 7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ': "" can\'t be empty'),
        ("[]", ': "" can\'t be a list'),
        ("description: a", ': "name" is missing'),
        ("name:", ': "name" can\'t be empty'),
    ],
)
def test_a_config_is_a_mapping_with_a_name(text: str, message: str) -> None:
    message = message.replace('"" can', "the config can")
    assert refused(text).message == f'table config "t.yaml"{message}'


WORDS = st.sampled_from(
    [
        "name",
        "storage",
        "type",
        "base_path",
        "format",
        "partitioning",
        "strategy",
        "pattern",
        "date_format",
        "compaction",
        "enabled",
        "trigger",
        "schedule",
        "delay_days",
        "output_pattern",
        "delete_source",
        "lookback_months",
        "target_file_size",
        "ingestion",
        "dataset_config",
        "source",
        "schema",
        "encoding",
        "max_rejects",
        "on_date_mismatch",
        "delimiter",
        "header",
        "sales",
        "local",
        "hive",
        "weekly",
        "{date}.parquet",
        "1",
        "-1",
        "0.1",
        "10%",
        "true",
        "null",
        "[]",
        "{}",
        ".nan",
        ".inf",
        "''",
        "'0",
        "3",
        "1",
        "*",
        "*'",
        "'{'",
        "'}'",
        "'a/b'",
        "'%Y'",
    ]
)
LINES = st.lists(st.tuples(st.integers(0, 3), WORDS, WORDS | st.just(""))).map(
    lambda lines: "".join(f"{'  ' * indent}{key}: {value}\n" for indent, key, value in lines)
)


@given(st.text() | LINES | LINES.map(lambda text: "name: sales\n" + text))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    refusal = None
    try:
        read(text)
    except ConfigInvalid as error:
        refusal = error
    assert refusal is None or (refusal.position and refusal.hint and refusal.path == "t.yaml")
