"""The errors of Spark and Java become errors of Headwater by their types."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError, Py4JNetworkError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException, PySparkRuntimeError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from headwater.core.errors import (
    DiskFull,
    EngineError,
    EngineLost,
    EngineOutOfMemory,
    FileDamaged,
    FileDenied,
    FileMissing,
    HeadwaterError,
    ResultTooLarge,
)
from headwater.execute import session as sessions
from headwater.execute.stage import fetched
from headwater.execute.translate_errors import engine_errors, translate

ABORTED = (
    "Job aborted due to stage failure: Task 1 in stage 15.0 failed 1 times, most recent failure: Lost task 1.0 in stage 15.0 "
    "(TID 16) (192.0.2.2 executor driver): "
)
FRAME = "\n\tat org.apache.spark.memory.TaskMemoryManager.trySpillAndAcquire(TaskMemoryManager.java:305)"


def _thrown(spark: SparkSession, *chain: tuple[str, str | None]) -> Exception:
    """What PySpark raises for a chain of Java exceptions, the outermost first."""
    java: Any = None
    for kind, message in reversed(chain):
        made = spark._jvm
        for part in kind.split("."):
            made = getattr(made, part)
        if kind == "org.apache.spark.SparkException":
            java = made(message, java)
        else:
            java, cause = made(message), java
            if cause is not None:
                java.initCause(cause)
    return Py4JJavaError("An error occurred while calling o1.collectToPython.\n", java)


@pytest.mark.parametrize(
    ("chain", "kind", "text"),
    [
        ([("java.lang.OutOfMemoryError", "Java heap space")], EngineOutOfMemory, "Java heap space."),
        (
            [("org.apache.spark.SparkException", ABORTED), ("java.lang.OutOfMemoryError", "GC overhead limit")],
            EngineOutOfMemory,
            "GC overhead limit.",
        ),
        (
            [
                (
                    "org.apache.spark.SparkException",
                    f"{ABORTED}org.apache.spark.memory.SparkOutOfMemoryError: [UNABLE_TO_ACQUIRE_MEMORY] Unable to acquire "
                    f"16 bytes of memory, got 0.{FRAME}",
                )
            ],
            EngineOutOfMemory,
            "Unable to acquire 16 bytes of memory, got 0.",
        ),
        (
            [
                (
                    "org.apache.spark.SparkException",
                    f"{ABORTED}org.apache.spark.memory.SparkOutOfMemoryError: [SPILL_OUT_OF_MEMORY] Error while calling "
                    f"spill() on UnsafeExternalSorter@1 : No space left on device{FRAME}",
                )
            ],
            DiskFull,
            "The file system of its temporary folder is full.",
        ),
        (
            [
                ("org.apache.spark.SparkException", "Exception thrown in awaitResult: "),
                ("org.apache.spark.SparkException", f"{ABORTED}java.io.IOException: No space left on device{FRAME}"),
                ("java.io.IOException", "No space left on device"),
            ],
            DiskFull,
            "The file system of its temporary folder is full.",
        ),
        (
            [
                (
                    "org.apache.spark.SparkException",
                    "Job aborted due to stage failure: Total size of serialized results of 1 tasks (31.8 MiB) is bigger than "
                    "spark.driver.maxResultSize (5.0 MiB)",
                )
            ],
            ResultTooLarge,
            "Job aborted due to stage failure: Total size of serialized results of 1 tasks (31.8 MiB) is bigger than "
            "spark.driver.maxResultSize (5.0 MiB).",
        ),
        (
            [
                (
                    "org.apache.spark.SparkException",
                    f"{ABORTED}org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading "
                    f"file s3a://b/main/t/x.parquet.  SQLSTATE: KD001{FRAME}\nCaused by: java.lang.Exception: bad page{FRAME}",
                )
            ],
            FileDamaged,
            "It can't be read as Parquet: bad page.",
        ),
        ([("java.nio.file.AccessDeniedException", "s3a://b/main/t/x.parquet")], FileDenied, None),
        # The file is not one of the lake's: no cause names one.
        ([("java.io.FileNotFoundException", "/scratch/blockmgr-1/0c/x (No such file)")], EngineError, None),
        # Only errors of the operating system have its words as their meaning.
        (
            [("java.lang.RuntimeException", "No space left on device")],
            EngineError,
            "Spark failed: No space left on device",
        ),
        ([("java.lang.NullPointerException", None)], EngineError, "Spark failed: java.lang.NullPointerException"),
    ],
)
def test_a_chain_of_java_exceptions_has_the_meaning_of_their_types(
    spark: SparkSession, chain: list[tuple[str, str | None]], kind: type[HeadwaterError], text: str | None
) -> None:
    error = translate(_thrown(spark, *chain))
    assert type(error) is kind
    if text is not None:
        assert (error.detail or error.message) == text


def test_a_file_without_permission_is_denied(spark: SparkSession) -> None:
    text = f"{ABORTED}org.apache.spark.SparkException: [FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error while reading file \
file:///lake/a%20b.parquet. File does not exist.{FRAME}\nCaused by: java.io.FileNotFoundException: /lake/x (Permission denied)"
    error = translate(_thrown(spark, ("org.apache.spark.SparkException", text)))
    assert isinstance(error, FileDenied)
    assert error.message == 'permission denied for file "/lake/a b.parquet"'


def _written(spark: SparkSession, folder: Path) -> Path:
    spark.range(1000).coalesce(1).write.parquet(str(folder / "a b"))
    (file,) = (folder / "a b").glob("*.parquet")
    file.with_name(f".{file.name}.crc").unlink()
    return file


def _scan(spark: SparkSession, file: Path) -> DataFrame:
    return spark.read.schema("id BIGINT").option("__globPaths__", "false").parquet(str(file))


# PySpark raises the errors of these three with different outer exceptions.
READS: list[Callable[[DataFrame], object]] = [DataFrame.collect, DataFrame.count, fetched]


@pytest.mark.parametrize("read", READS)
def test_a_file_that_is_missing_or_damaged_is_named(spark: SparkSession, tmp_path: Path, read: Any) -> None:
    file = _written(spark, tmp_path)
    whole, rows = file.read_bytes(), _scan(spark, file).groupBy("id").count()
    os.remove(file)
    for action in (lambda: read(rows), lambda: _scan(spark, file)):
        with pytest.raises(FileMissing) as missing, engine_errors():
            action()
        assert missing.value.path == str(file)
    noise = bytes(range(256))
    broken = (whole[: len(whole) // 2], whole[:4] + noise + whole[260:], whole[:-300] + noise + whole[-44:], b"PAR1")
    for damage in broken:
        file.write_bytes(damage)
        with pytest.raises(FileDamaged) as damaged, engine_errors():
            read(_scan(spark, file).groupBy("id").count())
        assert damaged.value.path == str(file)


def test_a_column_of_another_type_than_the_catalog_has_is_damage(spark: SparkSession, tmp_path: Path) -> None:
    file = _written(spark, tmp_path)
    with pytest.raises(FileDamaged), engine_errors():
        spark.read.schema("id INT").parquet(str(file)).collect()


def test_a_table_too_large_to_broadcast_is_a_result_too_large(spark: SparkSession) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.maxBroadcastTableSize", "1k")
    rows = session.range(1000).join(f.broadcast(session.range(100000).withColumn("x", f.rand())), "id")
    for read in READS:
        with pytest.raises(ResultTooLarge, match="driver"), engine_errors():
            read(rows.groupBy("x").count())


def test_an_error_of_the_query_keeps_the_text_of_spark(spark: SparkSession) -> None:
    with pytest.raises(EngineError) as failed, engine_errors():
        spark.range(2).selectExpr("1 / id").collect()
    assert type(failed.value) is EngineError
    assert failed.value.message == "Spark failed: [DIVIDE_BY_ZERO] Division by zero"
    assert failed.value.detail == "Use `try_divide` to tolerate divisor being 0 and return NULL instead."


def test_an_error_without_java_keeps_its_text() -> None:
    error = translate(PySparkException(message="x" * 1000))
    assert (type(error), error.message) == (EngineError, f"Spark failed: {'x' * 500}")
    assert error.detail is None


def test_a_process_that_ended_names_the_setting() -> None:
    for gone in (Py4JNetworkError("Answer from Java side is empty"), ConnectionRefusedError("refused")):
        error = translate(gone)
        assert isinstance(error, EngineLost)
        assert "spark_memory" in (error.hint or "")


def test_a_process_that_ends_while_its_error_is_read_is_lost(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dead:
        def getClass(self) -> None:
            raise Py4JNetworkError("Error while sending or receiving")

    thrown = _thrown(spark, ("java.lang.IllegalStateException", "shut down"))
    monkeypatch.setattr(thrown, "java_exception", Dead())
    assert isinstance(translate(thrown), EngineLost)


def test_a_session_whose_java_ends_while_it_starts_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_discard_dead_session", lambda: None)
    exited = PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED", messageParameters={})
    assert isinstance(sessions._not_started(exited), EngineLost)
    other = PySparkRuntimeError(errorClass="MASTER_URL_NOT_SET", messageParameters={})
    assert type(sessions._not_started(other)) is EngineError
