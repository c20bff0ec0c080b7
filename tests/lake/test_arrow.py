"""Arrow types of lake columns."""

from __future__ import annotations

import pyarrow as pa
import pytest

from headwater.core.errors import FeatureRefused, InvalidRequest
from headwater.core.schema import Column, number
from headwater.core.types import WITHOUT_SPARK_TYPE
from headwater.lake.arrow import FIELD_ID, arrow_schema, arrow_type, file_schema, file_type, to_file, to_table
from tests.lake.every_type import ROWS, SCHEMA


def test_every_type_converts_to_the_type_of_its_file() -> None:
    table = to_table(SCHEMA.columns, ROWS)
    assert table.schema.equals(arrow_schema(SCHEMA))
    (batch,) = table.to_batches()
    assert to_file(batch, SCHEMA.columns).schema.equals(file_schema(SCHEMA), check_metadata=True)


def test_slices_convert_to_the_same_values_as_the_whole() -> None:
    (batch,) = to_table(SCHEMA.columns, [*ROWS, *ROWS]).to_batches()
    whole = to_file(batch, SCHEMA.columns)
    for start in range(batch.num_rows):
        assert str(to_file(batch.slice(start, 2), SCHEMA.columns).to_pylist()) == str(whole.slice(start, 2).to_pylist())


def test_each_part_of_a_nested_column_carries_its_field_id() -> None:
    def ids(field: pa.Field) -> list[int]:
        below = (
            []
            if isinstance(field.type, pa.BaseExtensionType)
            else [field.type.field(i) for i in range(field.type.num_fields)]
        )
        if pa.types.is_map(field.type):
            below = [field.type.key_field, field.type.item_field]
        return [int(field.metadata[FIELD_ID]), *(number for child in below for number in ids(child))]

    found = [number for field in file_schema(SCHEMA) for number in ids(field)]
    assert found == [column.field_id for column in SCHEMA.walk()]


@pytest.mark.parametrize("name", sorted(WITHOUT_SPARK_TYPE))
def test_a_type_without_an_exact_form_is_refused_by_name(name: str) -> None:
    nested = Column("outer", "list", children=(Column("inner", name),))
    for make in (arrow_type, file_type):
        with pytest.raises(FeatureRefused, match=f'column "inner" has type {name}'):
            make(nested)


def _batch(column: Column, values: list[object], given: pa.DataType | None = None) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(values, given or arrow_type(column))], [column.name])


@pytest.mark.parametrize(
    ("type_name", "value"),
    [("uint8", 256), ("uint8", -1), ("uint32", 2**32), ("timestamp_ms", 1), ("timestamp_s", 1000), ("uuid", "no")],
)
def test_a_value_that_does_not_fit_is_refused_with_the_column_named(type_name: str, value: object) -> None:
    (column,) = number((Column("c", type_name),))
    with pytest.raises(InvalidRequest, match=f'does not fit column "c" of type {type_name}'):
        to_file(_batch(column, [value]), (column,))


def test_a_null_in_a_not_null_column_is_refused() -> None:
    column = Column("c", "int32", 1, nullable=False)
    with pytest.raises(InvalidRequest, match="NOT NULL"):
        to_file(_batch(column, [1, None]), (column,))


def test_uuids_of_any_spelling_convert_with_nulls_between() -> None:
    column = Column("c", "uuid", 1)
    plain = "12345678-1234-1234-1234-1234567890ab"
    for texts in ([plain, None, plain.upper(), None], [None, "{" + plain + "}", plain.replace("-", "")], [None], []):
        filed = to_file(_batch(column, list(texts)), (column,)).column(0)
        assert [value and str(value) for value in filed.to_pylist()] == [text and plain for text in texts]
