"""Redact secrets in output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

HIDDEN = "***"
# Up to the last @, because a password may contain an unescaped one.
_IN_ADDRESS = re.compile(r"(://[^/@:\s]*):\S*@")
_BY_NAME = re.compile(r"(?i)\b(password|passwd|pwd)(\s*=\s*)('[^']*'|\S+)")


class Redactor:
    """Removes passwords from URLs, and given secrets from any text; also a structlog processor.

    >>> Redactor(["s3cret"])("sent s3cret to postgresql://me:hunter2@host/db")
    'sent *** to postgresql://me:***@host/db'
    >>> Redactor()("postgresql://host/db?password=hunter2 or host=h password=hunter2")
    'postgresql://host/db?password=*** or host=h password=***'
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        # The longest first, because a secret may begin with another one.
        self._secrets = sorted(filter(None, secrets), key=len, reverse=True)

    def __call__(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return _BY_NAME.sub(rf"\1\2{HIDDEN}", _IN_ADDRESS.sub(rf"\1:{HIDDEN}@", text))

    def deep(self, value: Any) -> Any:
        """The value with all texts in it redacted."""
        match value:
            case str():
                return self(value)
            case Mapping():
                return {key: self.deep(each) for key, each in value.items()}
            case list() | tuple():
                return [self.deep(each) for each in value]
            case None | bool() | int() | float():
                return value
            case _:
                return self(str(value))

    def process(self, _logger: object, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        """Redact one log line, as a structlog processor."""
        return {key: self.deep(value) for key, value in line.items()}
