"""Logs on stderr: lines for people on a terminal, JSON otherwise."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from typing import cast

import structlog

from headwater.core.redact import Redactor
from headwater.observe.log import Log

# Local variables may contain secrets that no pattern matches.
_TRACEBACKS = structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False))
_PEOPLE = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)


class _Others(logging.Handler):
    """Log lines of libraries in our format."""

    def emit(self, record: logging.LogRecord) -> None:
        facts = {"exc_info": record.exc_info} if record.exc_info else {}
        structlog.get_logger().warning("library", library=record.name, message=record.getMessage(), **facts)


def logger(level: str, secrets: Iterable[str] = ()) -> Log:
    """A logger for this level and above, without passwords and other secrets."""
    people = sys.stderr.isatty()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info if people else _TRACEBACKS,
            Redactor(secrets).process,
            _PEOPLE if people else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    logging.basicConfig(handlers=[_Others(logging.WARNING)], force=True)
    return cast(Log, structlog.get_logger())
