"""YAML is read strictly, and each key and value has its position."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.core.errors import Position
from headwater.core.yaml_document import MAX_BYTES, YamlError, read_yaml

SCALARS = [
    ("1", 1),
    ("-12", -12),
    ("+3", 3),
    # Ten, as YAML 1.2 says; YAML 1.1 read eight.
    ("010", 10),
    ("0o10", 8),
    ("0x1F", 31),
    ("1.5", 1.5),
    ("-.5e-3", -0.0005),
    ("1.", 1.0),
    ("1e3", 1000.0),
    (".inf", math.inf),
    ("-.INF", -math.inf),
    ("true", True),
    ("FALSE", False),
    ("null", None),
    ("~", None),
    ("", None),
    ("yes", "yes"),
    ("No", "No"),
    ("on", "on"),
    ("off", "off"),
    ("tRue", "tRue"),
    ("190:20:30", "190:20:30"),
    ("1_000", "1_000"),
    ("0b1", "0b1"),
    ("2024-01-01", "2024-01-01"),
    ("2024-01-01 10:00:00", "2024-01-01 10:00:00"),
    ("=", "="),
    ("10%", "10%"),
    ("1e", "1e"),
    (".", "."),
    ("٣", "٣"),
    ("'1'", "1"),
    ('"true"', "true"),
    ('"a\\tb"', "a\tb"),
    ("|\n  1\n", "1\n"),
]


@pytest.mark.parametrize(("text", "value"), SCALARS, ids=[text for text, _ in SCALARS])
def test_scalars_are_read_by_the_core_schema(text: str, value: Any) -> None:
    found = read_yaml(f"a: {text}").value["a"]
    assert (found, type(found)) == (value, type(value))


def test_not_a_number_is_a_float() -> None:
    assert math.isnan(read_yaml("[.nan, .NAN]").value[1])


REFUSED = [
    ("a: &x 1\nb: *x", 'the anchor "&x" is not supported', (1, 4)),
    ("a: *x", 'the alias "*x" is not supported', (1, 4)),
    ("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3", 'the key "c" is written twice', (5, 3)),
    ("a: 1\n'a': 2", 'the key "a" is written twice', (2, 1)),
    ("a: 1\n---\nb: 1", "there is more than one document", (2, 1)),
    ("a: !!python/object:os.system 1", 'the tag "tag:yaml.org,2002:python/object:os.syst…" is not supported', (1, 4)),
    ("a: !x {b: 1}", 'the tag "!x" is not supported', (1, 4)),
    ("operator: !=", 'the tag "!=" is not supported', (1, 11)),
    ("%YAML 1.1\n---\na: 1", "directives are not supported", (1, 1)),
    ("a: 1\n2: 3", "a key is not a string", (2, 1)),
    ("true: 1", "a key is not a string", (1, 1)),
    ("[a, b]: 1", "a key is not a string", (1, 1)),
    ("? {a: 1}\n: 2", "a key is not a string", (1, 3)),
    ("a: \x07", "character U+0007 is not allowed", (1, 4)),
    ("a: b\n\rc", "character U+000D is not allowed", (2, 1)),
    ("a: 1\nb: \u2028", "character U+2028 is not allowed", (2, 4)),
    ("a: \x85", "character U+0085 is not allowed", (1, 4)),
    (b"a: 1\nb: M\xfcller".decode(errors="surrogateescape"), "the text is not UTF-8", (2, 5)),
    ('a: "\\0"', "a text has a NUL character or half a surrogate pair", (1, 4)),
    ('a: "\\ud800"', "a text has a NUL character or half a surrogate pair", (1, 4)),
    ('a: "\\UFFFFFFFF"', "the YAML can't be parsed: invalid escape", (1, 7)),
    ("a: " + "9" * 101, "a number has more than 100 characters", (1, 4)),
    ("a: 1e400", 'the number "1e400" is too large', (1, 4)),
    ("[" * 51, "values are nested more than 50 levels deep", (1, 51)),
    ("a: b: c", "the YAML can't be parsed: mapping values are not allowed here", (1, 5)),
    ("a: [1", "the YAML can't be parsed: while parsing a flow sequence, expected ',' or ']', but got '<stream end>'", (1, 6)),
    ("a:\n\tb: 1", "the YAML can't be parsed: while scanning for the next token, found character '\\t' that "
     "cannot start any token", (2, 1)),
    ("# " + "ü" * (MAX_BYTES // 2), "the text is longer than 1,000,000 bytes", (1, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "at"), REFUSED, ids=[message for _, message, _ in REFUSED])
def test_what_is_refused_has_its_position(text: str, message: str, at: tuple[int, int]) -> None:
    with pytest.raises(YamlError) as caught:
        read_yaml(text)
    assert (caught.value.message, caught.value.position) == (message, Position(*at))
    assert caught.value.hint


def test_fifty_levels_are_read() -> None:
    value = read_yaml("[" * 50 + "]" * 50).value
    for _ in range(49):
        (value,) = value
    assert value == []


@pytest.mark.parametrize("text", ["", "\n", "# nothing", "---\n...", "\ufeff"])
def test_an_empty_text_is_null(text: str) -> None:
    assert read_yaml(text).value is None


def test_positions_are_those_of_the_file() -> None:
    text = "\ufeffname: sales\r\ncolumns:\r\n  - name: ä\r\n    'type' :  \"INT\"\r\n  - [x, {y: z}]\r\n"
    document = read_yaml(text)
    assert document.value == {"name": "sales", "columns": [{"name": "ä", "type": "INT"}, ["x", {"y": "z"}]]}
    assert document.keys == {
        ("name",): Position(1, 1),
        ("columns",): Position(2, 1),
        ("columns", 0, "name"): Position(3, 5),
        ("columns", 0, "type"): Position(4, 5),
        ("columns", 1, 1, "y"): Position(5, 10),
    }
    assert document.values == {
        (): Position(1, 1),
        ("name",): Position(1, 7),
        ("columns",): Position(3, 3),
        ("columns", 0): Position(3, 5),
        ("columns", 0, "name"): Position(3, 11),
        ("columns", 0, "type"): Position(4, 15),
        ("columns", 1): Position(5, 5),
        ("columns", 1, 0): Position(5, 6),
        ("columns", 1, 1): Position(5, 9),
        ("columns", 1, 1, "y"): Position(5, 13),
    }


def test_numbers_keep_the_text_that_was_written() -> None:
    document = read_yaml("a: 007\nb: ['1.10', 1.10, true]")
    assert document.written == {("a",): "007", ("b", 1): "1.10"}


KEYS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=9)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 0, 2]))
def test_json_is_yaml_and_positions_point_at_keys(value: Any, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    document = read_yaml(text)
    assert (document.value, str(document.value)) == (value, str(value))
    lines = text.split("\n")
    for path, at in document.keys.items():
        assert lines[at.line - 1][at.column - 1 :].startswith(json.dumps(path[-1], ensure_ascii=False))


@given(st.text() | st.text(alphabet="a:- \n[]{},&*!|>'\"%@`#?\\\t0x", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    refused: YamlError | None = None
    try:
        read_yaml(text)
    except YamlError as error:
        refused = error
    assert refused is None or (refused.hint and 1 <= refused.position.line <= text.count("\n") + 1)
