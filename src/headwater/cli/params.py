"""Values of parameters from the command line."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Annotated, Any

import typer

from headwater.core.errors import InvalidRequest

ParamOption = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="NAME=TEXT",
        help="Value of $NAME; NAME:=JSON for other values than text, and 1, 2, … as names for ? and $1.",
    ),
]


def parse_params(given: list[str] | None) -> list[Any] | dict[str, Any] | None:
    """The values by name, or in order if their names are 1, 2, ….

    >>> parse_params(["day=2024-01-02", 'most:=[1, 2.50, null]'])
    {'day': '2024-01-02', 'most': [1, Decimal('2.50'), None]}
    >>> parse_params(["2=b", "1:=5"])
    [5, 'b']
    """
    if not given:
        return None
    values: dict[str, Any] = {}
    for each in given:
        name, separator, text = each.partition("=")
        is_json = name.endswith(":")
        name = name.removesuffix(":")
        if not separator or not name:
            raise InvalidRequest(
                "--param needs a name and a value", hint="Write --param name=text or --param name:=json."
            )
        if name in values:
            raise InvalidRequest(f'--param "{name}" is given twice', hint="Give each parameter once.")
        values[name] = _from_json(name, text) if is_json else text
    numbers = sorted(int(name) for name in values if name.isdigit())
    if not numbers:
        return values
    if numbers != list(range(1, len(values) + 1)):
        raise InvalidRequest(
            "the numbers of --param are not 1, 2, …",
            detail="Parameters are all numbered, without a gap, or all named.",
            hint="Number them from 1 on.",
        )
    return [values[str(number)] for number in numbers]


def _from_json(name: str, text: str) -> Any:
    try:
        return json.loads(text, parse_float=_number, parse_constant=_refuse_constant)
    except ValueError as error:
        raise InvalidRequest(
            f'the value of --param "{name}" is not JSON',
            detail=f"{error}.",
            hint=f"Write --param {name}=text for text.",
        ) from error


def _number(text: str) -> float | Decimal:
    """A number as in DuckDB: with an exponent a DOUBLE, else a DECIMAL."""
    return float(text) if "e" in text.lower() else Decimal(text)


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is no value of JSON")
