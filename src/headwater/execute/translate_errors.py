"""Errors of Spark and Java, translated into errors of Headwater."""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum, auto
from typing import Any, TypeVar

from py4j.java_gateway import is_instance_of  # type: ignore[import-untyped]
from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.errors import PySparkException

from headwater.core.errors import (
    DiskFull,
    EngineError,
    EngineLost,
    EngineOutOfMemory,
    HeadwaterError,
    LakeError,
    ResultTooLarge,
    error_from_body,
)
from headwater.core.excerpt import Excerpt
from headwater.core.file_faults import file_error
from headwater.execute.spark_message import excerpt_of, is_of_query, message_of
from headwater.execute.tags import local_path
from headwater.lake import storage

T = TypeVar("T")

# The prefix of a TaskError's message. Its facts follow as JSON, because Spark reports a task's Python error as text.
_MARK = "headwater-error: "
_FACTS = ("code", "message", "detail", "hint", "path")
# The maximum length of a cause.
_LONGEST_CAUSE = 500


class _Fault(IntEnum):
    """What went wrong. If the causes of an error show several faults, the first one here decides."""

    DISK_FULL = auto()
    OUT_OF_MEMORY = auto()
    RESULT_TOO_LARGE = auto()
    FILE_DENIED = auto()
    FILE_MISSING = auto()
    FILE_DAMAGED = auto()


_FAULT_OF_CONDITION: Mapping[str, _Fault] = {
    "AGGREGATE_OUT_OF_MEMORY": _Fault.OUT_OF_MEMORY,
    "POINTER_ARRAY_OUT_OF_MEMORY": _Fault.OUT_OF_MEMORY,
    "SPILL_OUT_OF_MEMORY": _Fault.OUT_OF_MEMORY,
    "UNABLE_TO_ACQUIRE_MEMORY": _Fault.OUT_OF_MEMORY,
    # BytesToBytesMap can't grow, a hash map can't be built, a broadcast table can't be built.
    "_LEGACY_ERROR_TEMP_2105": _Fault.OUT_OF_MEMORY,
    "_LEGACY_ERROR_TEMP_2107": _Fault.OUT_OF_MEMORY,
    "_LEGACY_ERROR_TEMP_2250": _Fault.OUT_OF_MEMORY,
    # A broadcast takes too long, has too many rows, or has too many bytes.
    "_LEGACY_ERROR_TEMP_2097": _Fault.RESULT_TOO_LARGE,
    "_LEGACY_ERROR_TEMP_2248": _Fault.RESULT_TOO_LARGE,
    "_LEGACY_ERROR_TEMP_2249": _Fault.RESULT_TOO_LARGE,
    "PATH_NOT_FOUND": _Fault.FILE_MISSING,
    "FAILED_READ_FILE.FILE_NOT_EXIST": _Fault.FILE_MISSING,
    "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER": _Fault.FILE_DAMAGED,
    "FAILED_READ_FILE.NO_HINT": _Fault.FILE_DAMAGED,
    "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH": _Fault.FILE_DAMAGED,
}
_FAULT_OF_CLASS: Mapping[str, _Fault] = {
    "java.lang.OutOfMemoryError": _Fault.OUT_OF_MEMORY,
    "org.apache.spark.memory.SparkOutOfMemoryError": _Fault.OUT_OF_MEMORY,
    "java.nio.file.AccessDeniedException": _Fault.FILE_DENIED,
    "org.apache.hadoop.security.AccessControlException": _Fault.FILE_DENIED,
    "java.io.FileNotFoundException": _Fault.FILE_MISSING,
    "java.nio.file.NoSuchFileException": _Fault.FILE_MISSING,
}
# The classes that carry an error of the operating system as text only. See `_fault_in_text`.
_OF_SYSTEM = frozenset(
    {
        "java.io.FileNotFoundException",
        "java.io.IOException",
        "java.nio.file.FileSystemException",
        "org.apache.hadoop.fs.FSError",
    }
)
_FAULT_OF_TEXT: Mapping[str, _Fault] = {
    "No space left on device": _Fault.DISK_FULL,
    "Disk quota exceeded": _Fault.DISK_FULL,
    "(Permission denied)": _Fault.FILE_DENIED,
}
_PATH = re.compile(r"(?:(?:file|s3a?|gs|abfss?|hdfs):/|/)[^\n]*?\.parquet")


@dataclass(frozen=True, slots=True)
class _Cause:
    """An exception of the chain of causes: its class, Spark's error condition, its message, and the file it is about."""

    kind: str
    condition: str | None
    message: str
    path: str | None = None
    excerpt: Excerpt | None = None
    # Whether the query or its values are wrong.
    of_query: bool = False

    def faults(self) -> Iterator[_Fault]:
        """The faults that the condition, the class and the text show."""
        shown = (
            _FAULT_OF_CONDITION.get(self.condition or ""),
            _FAULT_OF_CLASS.get(self.kind),
            _fault_in_text(self),
        )
        return (fault for fault in shown if fault is not None)


class TaskError(Exception):
    """An error of Headwater that leaves a task."""

    def __init__(self, error: HeadwaterError) -> None:
        super().__init__(_MARK + json.dumps({name: getattr(error, name, None) for name in _FACTS}))


def as_task(work: Callable[[Iterator[T]], Iterator[T]]) -> Callable[[Iterator[T]], Iterator[T]]:
    """The same work, which raises errors of Headwater as TaskErrors, so that `translate` can restore them."""

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
    try:
        causes = list(_causes(error))
        found = _of_task(causes) or _of_fault(causes) or _other(causes)
        found.excerpt = next((cause.excerpt for cause in causes if cause.excerpt), None)
        return found
    except (Py4JNetworkError, ConnectionError):
        # Spark's process can end before the chain of causes is read.
        return _lost()


def _of_task(causes: Iterable[_Cause]) -> HeadwaterError | None:
    """The error that a task raised, with its facts."""
    text = next((cause.message for cause in causes if _MARK in cause.message), None)
    if text is None:
        return None
    facts, _ = json.JSONDecoder().raw_decode(text[text.index(_MARK) + len(_MARK) :])
    error = error_from_body(facts["code"], facts["message"], facts["detail"], facts["hint"])
    if isinstance(error, LakeError):
        error.path = facts["path"]
    return error


def _of_fault(causes: list[_Cause]) -> HeadwaterError | None:
    """The error for the first fault of the causes. A fault of a file counts only if a cause names the file."""
    path = next((cause.path for cause in causes if cause.path), None)
    for fault in sorted({fault for cause in causes for fault in cause.faults()}):
        match fault, path:
            case _Fault.DISK_FULL, _:
                # Tasks write data files in Python; Spark itself writes only temporary files.
                return DiskFull(
                    "no space left for Spark's temporary files",
                    detail="The file system of its temporary folder is full.",
                    hint="Free some space, or set spark.local.dir to another folder.",
                )
            case _Fault.OUT_OF_MEMORY, _:
                return EngineOutOfMemory(
                    "Spark ran out of memory",
                    detail=f"{_root(causes)}.",
                    hint="Raise spark_memory, or make the query or the change smaller.",
                )
            case _Fault.RESULT_TOO_LARGE, _:
                return ResultTooLarge(
                    "a result is too large for Spark's driver",
                    detail=f"{_root(causes)}.",
                    hint="Raise spark_memory, or make the query or the change smaller.",
                )
            case _Fault.FILE_DENIED, str():
                return file_error(path, errno.EACCES)
            case _Fault.FILE_MISSING, str():
                return file_error(path, errno.ENOENT)
            case _Fault.FILE_DAMAGED, str():
                return storage.damaged(path, _root(causes))
    return None


def _other(causes: list[_Cause]) -> HeadwaterError:
    if _is_stopped():
        return _lost()
    # The message is the first sentence, the detail the rest: errors that quote this one print both.
    first, _, rest = _root(causes).partition(". ")
    return EngineError(
        f"Spark failed: {first}",
        detail=f"{rest}." if rest else None,
        hint=None if causes[-1].of_query else "If the error repeats, check Spark's log.",
    )


def _lost() -> EngineLost:
    return EngineLost(
        "the Spark process has ended",
        detail="It ended during a computation, most often because the machine or Spark ran out of memory.",
        hint="The next refresh starts a new process. If the error repeats, change spark_memory.",
    )


def _is_stopped() -> bool:
    """Whether Spark is shutting down, as after a task in the driver's process ran out of memory."""
    context = SparkContext._active_spark_context
    return context is not None and context._jsc is not None and bool(context._jsc.sc().isStopped())


def _causes(error: Exception) -> Iterator[_Cause]:
    """The chain of causes, the outermost first."""
    if isinstance(error, Py4JNetworkError | ConnectionError):
        raise error
    java = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
    if java is None:
        condition = error.getCondition() if isinstance(error, PySparkException) else None
        yield _Cause(type(error).__name__, condition, str(error))
    for _ in range(20):
        if java is None:
            return
        cause = _cause(java)
        yield cause
        java = java.getCause()
        if java is None:
            yield from _causes_in_text(cause)


def _cause(java: Any) -> _Cause:
    kind, message = str(java.getClass().getName()), str(java.getMessage() or "")
    if is_instance_of(SparkContext._gateway, java, "org.apache.spark.SparkThrowable"):
        condition = java.getCondition()
        path = java.getMessageParameters().get("path") if condition in _FAULT_OF_CONDITION else None
        shown = message_of(java, condition) or kind
        return _Cause(kind, condition, shown, local_path(path) if path else None, excerpt_of(java), is_of_query(java))
    if is_instance_of(SparkContext._gateway, java, "java.nio.file.AccessDeniedException") and (file := java.getFile()):
        return _Cause(kind, None, message or kind, local_path(file))
    return _Cause(kind, None, message or kind)


_IN_STAGE_FAILURE = re.compile(
    r"(?:Lost task [^\n]*?\): |^Caused by: )(?P<kind>[\w$.]+)(?:: (?:\[(?P<condition>[\w.]+)\] )?(?P<message>[^\n]*))?",
    re.MULTILINE,
)


def _causes_in_text(last: _Cause) -> Iterator[_Cause]:
    """The exception of a task, parsed from the message of the stage's failure.

    If an exception can't be serialized, as SparkOutOfMemoryError can't, the driver learns its class, condition and message as
    text only: the SparkException for the job has no cause.
    """
    if last.kind != "org.apache.spark.SparkException" or last.condition is not None:
        return
    for found in _IN_STAGE_FAILURE.finditer(last.message):
        named = _PATH.search(found["message"] or "") if found["condition"] in _FAULT_OF_CONDITION else None
        path = local_path(named[0]) if named else None
        yield _Cause(found["kind"], found["condition"], found["message"] or found["kind"], path)


def _fault_in_text(cause: _Cause) -> _Fault | None:
    """The fault that only the text of an exception shows.

    Java reports a full disk as a plain IOException with the operating system's text, and a file without permission as a
    FileNotFoundException; Spark puts the text of an IOException into SPILL_OUT_OF_MEMORY. Spark reports that the results exceed
    spark.driver.maxResultSize as a SparkException without a condition.
    """
    if cause.kind in _OF_SYSTEM or cause.condition == "SPILL_OUT_OF_MEMORY":
        return next((fault for text, fault in _FAULT_OF_TEXT.items() if text in cause.message), None)
    if cause.kind == "org.apache.spark.SparkException" and cause.condition is None:
        return _Fault.RESULT_TOO_LARGE if "bigger than spark.driver.maxResultSize" in cause.message else None
    return None


def _root(causes: list[_Cause]) -> str:
    """The first line of the innermost message, as the start of a sentence."""
    lines = (line.strip() for line in causes[-1].message.splitlines())
    return next((line for line in lines if line), causes[-1].kind)[:_LONGEST_CAUSE].rstrip(".")
