"""Files that DuckDB rewrote keep the columns and types of the files that they replace."""

from __future__ import annotations

import pytest

import headwater
from tests.duck import Duck
from tests.fix_db import Catalog


@pytest.mark.usefixtures("spark")
def test_a_rewritten_file_is_read_with_defaults_and_wider_types(catalog: Catalog, duck: Duck) -> None:
    duck.attach(catalog.duck_uri, catalog.data_path, options={"DATA_INLINING_ROW_LIMIT": 0})
    duck.batch(
        [
            "CREATE TABLE t(id INT, a UINTEGER, s STRUCT(b UTINYINT))",
            "INSERT INTO t SELECT range, 4294967295 - range, {'b': range} FROM range(20)",
            "ALTER TABLE t ALTER a TYPE UBIGINT",
            "ALTER TABLE t ADD COLUMN n INT DEFAULT 42",
            "DELETE FROM t WHERE id < 15",
            "CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.1)",
            "INSERT INTO t VALUES (100, 18446744073709551615, NULL, NULL)",
        ]
    )
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        found = [
            tuple(row) for row in lake.table("t").selectExpr("id", "CAST(a AS STRING)", "n").orderBy("id").collect()
        ]
    assert found == duck.execute("SELECT id, a::VARCHAR, n FROM t ORDER BY id")
    assert found[0] == (15, "4294967280", 42)
    assert found[-1] == (100, "18446744073709551615", None)
