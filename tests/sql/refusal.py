"""Whether and how text is refused."""

from __future__ import annotations

from headwater.core.errors import SqlError
from headwater.sql.parse import parse


def refusal(text: str, dialect: str) -> SqlError | None:
    """The error that parsing the text ends in, None if it is parsed."""
    try:
        parse(text, dialect)
    except SqlError as error:
        return error
    return None
