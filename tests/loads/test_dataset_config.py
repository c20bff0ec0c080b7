"""Configs of datasets: columns, types, transforms, defaults and filters."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.core.errors import ConfigInvalid, Position
from headwater.loads.dataset_config import DatasetConfig, Expression, read_dataset_config


def read(text: str) -> DatasetConfig:
    return read_dataset_config(text, "d.yaml")


def test_columns_have_sources_expressions_types_transforms_and_defaults() -> None:
    config = read("""\
name: weather
columns:
  - {name: wind, source: max. wv (m/s), type: double}
  - name: total
    expression: quantity * price
    type: DECIMAL(18, 2)
  - {name: region, type: STRING, transform: [trim, upper], default: none}
  - {name: at, type: TIMESTAMP_NTZ, transform: trim}
  - {name: rate, default: 1.10}
""")
    assert config.name == "weather"
    wind, total, region, at, rate = config.columns
    assert (wind.source, wind.type and wind.type.type) == ("max. wv (m/s)", "float64")
    assert (total.source, total.expression) == (None, Expression("quantity * price", Position(5, 17)))
    assert total.type is not None
    assert total.type.type == "decimal(18,2)"
    assert (region.source, region.transforms, region.default) == ("region", ("trim", "upper"), "none")
    assert (at.type and at.type.type, at.transforms) == ("timestamp", ("trim",))
    assert (rate.type, rate.default, str(rate.default)) == (None, Decimal("1.10"), "1.10")


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("column: quantity, operator: '>', value: 0", "quantity > 0"),
        ("column: price, operator: '>=', value: 0.50", "price >= 0.50"),
        ("column: region, operator: '=', value: EU", "region = 'EU'"),
        ("column: day, operator: '<', value: 2024-01-01", "day < '2024-01-01'"),
        ('column: region, operator: in, value: [EU, "it\'s", 1]', "region in ('EU', 'it''s', 1)"),
        ("column: name, operator: like, value: A%", "name like 'A%'"),
        ("column: name, operator: is_null", "name is null"),
        ("column: name, operator: is_not_null", "name is not null"),
        ("column: name, operator: not_empty, allow_null: true", "name not empty or null"),
        ("column: ok, operator: '!=', value: true, allow_null: true", "ok != true or null"),
        ("column: max. wv, operator: '<=', value: -1e3", '"max. wv" <= -1E+3'),
    ],
)
def test_a_filter_prints_its_rule(rule: str, text: str) -> None:
    (found,) = read(f"filters:\n  - {{{rule}}}\n").filters
    assert (str(found), found.position) == (text, Position(2, 5))


WRONG = [
    ("columns: [{name: a, typ: INT}]", ' has the unknown key "typ"', (1, 21), "Did you mean type?"),
    ("columns: [{type: INT}]", ': "name" is missing in "columns[0]"', (1, 11), None),
    ("columns: [{name: a, type: INTEGR}]", ': column "a": type "INTEGR" is not known', (1, 27), None),
    ("columns: [{name: a, type: INT INT}]", ': column "a": expected the end of the type, found "INT"', (1, 27), None),
    ("columns: [{name: a, type: ''}]", ': column "a": expected a type, the statement ends', (1, 27), None),
    ("columns: [{name: a, source: b, expression: c}]", ': column "a" has a source and an expression', (1, 29), None),
    ("columns: [{name: a}, {name: A}]", ': column "A" is listed twice', (1, 29), None),
    ("columns: [{name: a, transform: up}]", ': "columns[0].transform" can\'t be "up"', (1, 32),
     "Use trim, upper or lower, or a list of them."),
    ("columns: [{name: a, transform: [trim, up]}]", ': "columns[0].transform[1]" can\'t be "up"', (1, 39),
     "Use trim, upper or lower, or a list of them."),
    ("columns: [{name: a, default: 007}]", ": the number 007 has leading zeros", (1, 30), None),
    ("columns: [{name: a, default: .inf}]", ': "columns[0].default" can\'t be .inf', (1, 30), None),
    ("filters: [{column: a, operator: is, value: 1}]", ': "filters[0].operator" can\'t be "is"', (1, 33), None),
    ("filters: [{column: a, operator: '>'}]", ': "value" is missing in "filters[0]"', (1, 11), None),
    ("filters: [{column: a, operator: in, value: 1}]", ': "filters[0].value" can\'t be 1', (1, 44), None),
    ("filters: [{column: a, operator: in, value: []}]", ': "filters[0].value" can\'t be a list', (1, 44), None),
    ("filters: [{column: a, operator: like, value: 1}]", ': "filters[0].value" can\'t be 1', (1, 46), None),
    ("filters: [{column: a, operator: is_null, value: 1}]", ": is_null takes no value", (1, 49), None),
    ("filters: [{column: a, operator: is_null, allow_null: true}]", ": is_null takes no allow_null", (1, 54), None),
    ("columns: [{name: quantity}]\nfilters: [{column: quantiti, operator: is_null}]",
     ': column "quantiti" is not listed', (2, 20), "Did you mean quantity?"),
    ("filters:\n- column: a\n  operator: !=\n  value: 1", ': the tag "!=" is not supported', (3, 13),
     'Remove it, or quote a text such as "!=".'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "at", "hint"), WRONG, ids=[message for _, message, _, _ in WRONG])
def test_a_mistake_has_its_place(text: str, message: str, at: tuple[int, int], hint: str | None) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        read(text)
    error = caught.value
    assert (error.message, error.position) == (f'dataset config "d.yaml"{message}', Position(*at))
    assert error.hint
    assert hint in (None, error.hint)


KEYS = st.sampled_from(
    [
        "name",
        "columns",
        "filters",
        "source",
        "expression",
        "type",
        "transform",
        "default",
        "column",
        "operator",
        "value",
    ]
)
VALUES = st.recursive(
    st.sampled_from(
        ["a", "INT", "STRUCT<a INT", "T[", "trim", "'='", "in", "like", "007", "1.5", ".nan", "true", "''", "null"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.dictionaries(KEYS, inner, max_size=4).map(lambda d: f"{{{', '.join(f'{k}: {v}' for k, v in d.items())}}}")
    ),
    max_leaves=15,
)
ENTRIES = st.dictionaries(KEYS, VALUES, max_size=5).map(lambda d: ", ".join(f"{k}: {v}" for k, v in d.items()))


@given(
    st.text()
    | VALUES
    | ENTRIES.map(lambda e: f"columns: [{{name: a, {e}}}]")
    | ENTRIES.map(lambda e: f"filters: [{{{e}}}]")
)
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    refusal = None
    try:
        for each in read(text).filters:
            str(each)
    except ConfigInvalid as error:
        refusal = error
    assert refusal is None or (refusal.position and refusal.hint)
