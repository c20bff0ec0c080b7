"""Values of parameters as JSON for the DuckDB process, with their types."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from headwater.core.errors import InvalidRequest
from headwater.query.element_types import MOST_DIGITS, with_one_type

_LEAST, _MOST = -(2**127), 2**128 - 1


def encoded(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The values of parameters as JSON."""
    return {name: encode(value, f"${name}") for name, value in parameters.items()}


def encode(value: object, what: str) -> Any:
    """The value as JSON: null, a bool, a float or a string as itself, others as [type, text] or [type, parts].

    `what` names the parameter in errors.

    >>> encode(Decimal("1.50"), "$1"), encode([1, None, 3], "$1")
    (['decimal', '1.50'], ['list', [['int', '1'], None, ['int', '3']]])
    """
    value = _plain(value, what)
    if value is None or isinstance(value, bool):
        return value
    for kind, type_name, text in _ENCODERS:
        if isinstance(value, kind):
            return [type_name, text(value, what)]
    if isinstance(value, str):
        return _text(str(value), what)
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise _refused(value, what, "The keys of a dict name the fields of a STRUCT, so they are strings.")
        return ["dict", {_text(name, what): encode(each, what) for name, each in value.items()}]
    if isinstance(value, list | tuple):
        paths = [f"{what}[{place}]" for place in range(1, len(value) + 1)]
        return ["list", with_one_type([encode(each, path) for each, path in zip(value, paths, strict=True)], paths)]
    raise _refused(value, what, f"Its type is {type(value).__name__}.")


def decode(value: Any) -> Any:
    """The inverse of `encode`.

    >>> decode(encode({"at": date(2024, 1, 2), "l": [1, 2**70]}, "$1"))
    {'at': datetime.date(2024, 1, 2), 'l': [1, 1180591620717411303424]}
    """
    if not isinstance(value, list):
        return value
    kind, body = value
    if kind == "list":
        return [decode(each) for each in body]
    if kind == "dict":
        return {name: decode(each) for name, each in body.items()}
    return _DECODERS[kind](body)


def plain(value: object, what: str) -> Any:
    """The value with a type of Python's own; raises the same errors as `encode`."""
    return decode(encode(value, what))


def _plain(value: object, what: str) -> object:
    """The value without NumPy's or pandas' type; their missing values are None."""
    module = type(value).__module__.partition(".")[0]
    if module == "numpy" and hasattr(value, "tolist"):
        return _plain_numpy(value, what)
    if module == "pandas":
        if type(value).__name__ in ("NaTType", "NAType"):
            return None
        if isinstance(value, datetime) and not getattr(value, "nanosecond", 0):
            return datetime.fromisoformat(value.isoformat())
    return value


def _plain_numpy(value: Any, what: str) -> object:
    kind = value.dtype.kind
    if kind == "V":
        raise _refused(value, what, "Its type has fields.")
    if kind not in "mM":
        return value.tolist()
    if value.ndim:
        # tolist() returns moments with nanoseconds as integers.
        return list(value)
    value = value[()]
    if value != value:  # NaT
        return None
    plain = value.tolist()
    if not isinstance(plain, date | timedelta) and value.dtype.name.endswith(("[ns]", "[ps]", "[fs]", "[as]")):
        rounded = value.astype(f"{kind}8[us]")
        plain = rounded.tolist() if rounded.astype(value.dtype) == value else None
    if not isinstance(plain, date | timedelta):
        raise _refused(value, what, "It is not a whole number of microseconds, or outside of the years 1 to 9999.")
    return plain


def _integer(value: int, what: str) -> str:
    if not _LEAST <= value <= _MOST:
        raise _refused(value, what, "A whole number has at most 128 bits.")
    return str(int(value))


def _decimal(value: Decimal, what: str) -> str:
    if not value.is_finite():
        raise _refused(value, what, "A DECIMAL is a finite number.")
    # DuckDB ignores a positive exponent.
    text = f"{value:f}"
    if len(text.lstrip("-").replace(".", "").lstrip("0")) > MOST_DIGITS or -value.as_tuple().exponent > MOST_DIGITS:  # type: ignore[operator]
        raise _refused(value, what, f"A DECIMAL has at most {MOST_DIGITS} digits.")
    return text


def _moment(value: datetime, what: str) -> str:
    if getattr(value, "nanosecond", 0):
        raise _refused(value, what, "A timestamp has at most microseconds.")
    return value.isoformat()


def _interval(value: timedelta, what: str) -> str:
    if getattr(value, "nanoseconds", 0):
        raise _refused(value, what, "An interval has at most microseconds.")
    return f"{value.days} {value.seconds} {value.microseconds}"


def _text(value: str, what: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _refused(value, what, "It contains half of a surrogate pair, which UTF-8 can't encode.") from None
    if "\0" in value:
        # The extension writes texts into statements of the catalog, in statistics and filters.
        raise _refused(value, what, "It contains the character U+0000, which text in SQL can't contain.")
    return value


def _refused(value: object, what: str, detail: str) -> InvalidRequest:
    # The value itself stays out of the message, which may be logged.
    return InvalidRequest(
        f"the {type(value).__name__} of parameter {what} can't be passed",
        detail=detail,
        hint="Pass None, a bool, number, string, bytes, date, time, datetime, timedelta, UUID, list or dict.",
    )


# In this order, because a datetime is also a date.
_ENCODERS: tuple[tuple[type, str, Callable[[Any, str], str]], ...] = (
    (int, "int", _integer),
    (float, "float", lambda value, _: float(value).hex()),
    (Decimal, "decimal", _decimal),
    (datetime, "datetime", _moment),
    (date, "date", lambda value, _: value.isoformat()),
    (time, "time", lambda value, _: value.isoformat()),
    (timedelta, "timedelta", _interval),
    (UUID, "uuid", lambda value, _: str(value)),
    (bytes, "bytes", lambda value, _: base64.b64encode(value).decode()),
    (bytearray, "bytes", lambda value, _: base64.b64encode(value).decode()),
    (memoryview, "bytes", lambda value, _: base64.b64encode(value).decode()),
)
_DECODERS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "float": float.fromhex,
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda text: timedelta(
        **dict(zip(("days", "seconds", "microseconds"), map(int, text.split()), strict=True))
    ),
    "uuid": UUID,
    "bytes": base64.b64decode,
}
