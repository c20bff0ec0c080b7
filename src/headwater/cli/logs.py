"""Logs on stderr: lines for people on a terminal, JSON otherwise."""

from __future__ import annotations

import logging
import sys
from typing import cast

import structlog

from headwater.service.worker import Log


def logger(level: str) -> Log:
    """A logger that keeps what is at least of this level."""
    people = sys.stderr.isatty()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *([] if people else [structlog.processors.dict_tracebacks]),
            structlog.dev.ConsoleRenderer() if people else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    return cast(Log, structlog.get_logger())
