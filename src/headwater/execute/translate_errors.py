"""What Spark and Java throw, as errors of Headwater."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from headwater.core import errors
from headwater.core.errors import (
    DiskFull,
    EngineError,
    EngineLost,
    EngineOutOfMemory,
    FileDamaged,
    FileMissing,
    HeadwaterError,
    ResultTooLarge,
)
from headwater.execute.tags import local_path
from headwater.lake import storage

T = TypeVar("T")

# What a task's own error begins with: its facts follow as JSON, for all else that leaves a task is text.
_MARK = "headwater-error: "
_FACTS = ("code", "message", "detail", "hint", "path")
_PATH = re.compile(r"(?:(?:file|s3a?|gs|abfss?|hdfs):/|/)[^\n]*?\.parquet")
_OUT_OF_MEMORY = re.compile(
    r"OutOfMemory|heap space|GC overhead limit|UNABLE_TO_ACQUIRE_MEMORY|Not enough memory to build"
)
# The maximum length of a cause in a message.
_BRIEF = 160
_MISSING = re.compile(
    r"PATH_NOT_FOUND|FILE_NOT_EXIST|FileNotFoundException|NoSuchFileException|No such file or directory"
)
_TOO_LARGE = re.compile(r"maxResultSize|Cannot broadcast|Could not execute broadcast|BROADCAST")
_DENIED = re.compile(r"Permission denied|AccessControlException|AccessDenied")
_FULL = re.compile(r"No space left on device|Disk quota exceeded")
_DAMAGED = re.compile(
    r"is not a Parquet file|CANNOT_READ_FILE_FOOTER|Could not read footer|corrupt|FAILED_READ_FILE|ParquetDecodingException|"
    r"expected magic number|EOFException"
)


class TaskError(Exception):
    """An error of Headwater on its way out of a task."""

    def __init__(self, error: HeadwaterError) -> None:
        super().__init__(_MARK + json.dumps({name: getattr(error, name, None) for name in _FACTS}))


def as_task(work: Callable[[Iterator[T]], Iterator[T]]) -> Callable[[Iterator[T]], Iterator[T]]:
    """The same work, whose errors of Headwater can be told from others when Spark hands them on as text."""

    def run(batches: Iterator[T]) -> Iterator[T]:
        try:
            yield from work(batches)
        except HeadwaterError as error:
            raise TaskError(error) from error

    return run


@contextmanager
def engine_errors() -> Iterator[None]:
    """Translate Spark's errors into Headwater's."""
    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        raise translate(error) from error


def translate(error: Exception) -> HeadwaterError:
    """Translate an error of Spark into one of Headwater."""
    if isinstance(error, HeadwaterError):
        return error
    if isinstance(error, Py4JNetworkError | ConnectionError):
        return EngineLost(
            "the Spark process has ended",
            detail="It ended during a computation, most often because the machine or Spark ran out of memory.",
            hint="The next refresh starts a new process. If the error repeats, change spark_memory.",
        )
    text = _full_text(error)
    if _MARK in text:
        return _rebuilt(text)
    if _OUT_OF_MEMORY.search(text):
        return EngineOutOfMemory(
            "Spark ran out of memory",
            detail=f"{_cause(text).rstrip('.')}.",
            hint="Raise spark_memory, or make the query or the change smaller.",
        )
    if _TOO_LARGE.search(text):
        return ResultTooLarge(
            "a result is too large for Spark's driver",
            detail=f"{_cause(text).rstrip('.')}.",
            hint="Raise spark_memory, or make the query or the change smaller.",
        )
    named = _PATH.search(text)
    path = local_path(named[0]) if named else "unknown"
    if _FULL.search(text):
        return storage.full(path) if named else _no_room()
    if _DENIED.search(text):
        return storage.denied(path)
    if _MISSING.search(text):
        return storage.missing(path)
    if _DAMAGED.search(text):
        return storage.damaged(path, _cause(text))
    cause = _cause(text).rstrip(".")
    return EngineError(
        f"Spark failed: {cause.partition('. ')[0][:_BRIEF]}",
        detail=f"{cause}.",
        hint="If the detail names columns or expressions of the query, correct them; otherwise check Spark's log.",
    )


def _no_room() -> DiskFull:
    return DiskFull(
        "no space left for Spark's temporary files",
        detail="The file system of its temporary folder is full.",
        hint="Free some space, or set spark.local.dir to another folder.",
    )


def _full_text(error: Exception) -> str:
    """The messages of all causes, without stack traces."""
    lines = [str(error)]
    java = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
    for _ in range(10):
        if java is None:
            break
        lines.append(str(java.toString()))
        java = java.getCause()
    return "\n".join(line for line in "\n".join(lines).splitlines() if not line.lstrip().startswith("at "))


def _cause(text: str) -> str:
    """One line that says what went wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Py4JJavaError")]
    caused = [line.partition("Caused by: ")[2] for line in lines if line.startswith("Caused by: ")]
    chosen = (
        caused[-1] if caused else next((line for line in lines if not line.startswith("An error occurred")), "unknown")
    )
    return re.sub(r"^:?\s*(?:[\w$]+\.)+[\w$]+(?:Exception|Error): ", "", chosen)[:500]


def _rebuilt(text: str) -> HeadwaterError:
    """The error that a task raised, with its facts."""
    facts, _ = json.JSONDecoder().raw_decode(text[text.index(_MARK) + len(_MARK) :])
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, HeadwaterError)]
    kind = next(
        (each for each in kinds if each.code == facts["code"] and each is not errors.CommitUnknown), EngineError
    )
    error = kind(facts["message"], detail=facts["detail"], hint=facts["hint"])
    if isinstance(error, FileMissing | FileDamaged):
        error.path = facts["path"]
    return error
