"""Writes docs/reference/errors.md from core/errors.py."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from headwater.core.errors import HeadwaterError

PAGE = Path(__file__).with_name("reference") / "errors.md"
INTRODUCTION = """\
# Errors

<!-- Written by `make docs` from src/headwater/core/errors.py. -->

Every error has a stable code, a message, often a detail with the cause, and a hint where an action helps. Errors in SQL also have
a position in the text that was passed, and show its line with a caret below the position (`error.source_line`). An error of a
stored definition shows the line as SHOW CREATE DYNAMIC TABLE prints it. All are subclasses of `HeadwaterError` in
`headwater.core.errors`. A code that ends in 000 is that of a whole family.
[Troubleshooting](../guides/troubleshooting.md) groups the codes by symptom.

| code | error | meaning |
|---|---|---|
"""


def family(error: type[HeadwaterError]) -> Iterator[type[HeadwaterError]]:
    """The error and all its subclasses, in the order of the file."""
    yield error
    for child in error.__subclasses__():
        yield from family(child)


def page() -> str:
    """The text of docs/reference/errors.md."""
    return INTRODUCTION + "".join(
        f"| `{error.code}` | `{error.__name__}` | {(error.__doc__ or '').splitlines()[0]} |\n"
        for error in family(HeadwaterError)
        if error.__module__ == HeadwaterError.__module__
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
