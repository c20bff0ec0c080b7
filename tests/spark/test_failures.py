"""What is said when Spark fails."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException

from headwater.execute.translate_errors import translate


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (
            "[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to tolerate divisor being 0. SQLSTATE: 22012",
            "HW-RUN-001",
            "Spark failed: [DIVIDE_BY_ZERO] Division by zero",
        ),
        (
            "Not enough memory to build and broadcast the table to all worker nodes. As a workaround, you can …",
            "HW-RUN-002",
            "Spark ran out of memory",
        ),
        ("java.lang.OutOfMemoryError: Java heap space", "HW-RUN-002", "Spark ran out of memory"),
        ("x" * 1000, "HW-RUN-001", f"Spark failed: {'x' * 160}"),
    ],
)
def test_the_message_says_what_went_wrong(text: str, code: str, message: str) -> None:
    error = translate(PySparkException(message=text))
    assert (error.code, error.message) == (code, message)
    assert error.detail is not None
    assert error.detail.startswith(text[:40].partition("Error: ")[2] or text[:40])
