"""Assign the values of parameters to the statements of a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.core.errors import InvalidRequest, Position
from headwater.sql.cursor import short
from headwater.sql.split import ScriptStatement
from headwater.sql.tokens import Token, TokenKind

# Values in the order of ? or $1, $2, …, or by name.
ParameterValues = Sequence[Any] | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A parameter in a statement; the name of `?` is empty, that of `$2` is 2."""

    name: str
    text: str
    position: Position


def placeholders(statement: ScriptStatement) -> tuple[Placeholder, ...]:
    """The parameters of a statement: ?, $1 and $name in DuckDB's dialect, ? and :name in Spark's.

    >>> from headwater.sql.split import split
    >>> [each.text for each in placeholders(split("SELECT ?, $1, $name, '?', a[1:2] FROM t -- ?")[0])]
    ['?', '$1', '$name']
    >>> [each.text for each in placeholders(split("SELECT ?, :name, a:b, $c, x[1:2]", "spark")[0])]
    ['?', ':name']
    """
    return tuple(_placeholders(statement))


def _placeholders(statement: ScriptStatement) -> Iterator[Placeholder]:
    spark = statement.script.dialect == "spark"
    mark = ":" if spark else "$"
    before: Token | None = None
    for token, after in zip(statement.tokens, (*statement.tokens[1:], None), strict=True):
        position = statement.script.position(token)
        if token.kind is TokenKind.SYMBOL and token.text.startswith("?"):
            # sqlglot reads ?:: as one symbol.
            yield Placeholder("", "?", position)
        elif after is not None and _is_named(token, after, mark):
            # In Spark, a:b is a field of a.
            field = spark and before is not None and before.end == token.start and _is_operand(before)
            if not field:
                yield Placeholder(after.text, mark + after.text, position)
        before = token


def _is_named(token: Token, after: Token, mark: str) -> bool:
    """Whether the tokens are a mark and, right behind it, a name or a number."""
    is_mark = token.text == mark and token.kind in (TokenKind.SYMBOL, TokenKind.WORD)
    kinds = (TokenKind.WORD, TokenKind.QUOTED) if mark == ":" else (TokenKind.WORD, TokenKind.QUOTED, TokenKind.NUMBER)
    return is_mark and after.kind in kinds and token.end == after.start


def _is_operand(token: Token) -> bool:
    return token.kind in (TokenKind.WORD, TokenKind.QUOTED) or token.text in (")", "]")


def assign_parameters(
    script: Sequence[ScriptStatement], given: ParameterValues | None
) -> tuple[Mapping[str, Any], ...]:
    """The values of each statement by name; those of `?` are named 1, 2, … in each statement.

    The values of `?` are taken in order through the script. `$1` and names have the same value in all statements.

    >>> from headwater.sql.split import split
    >>> assign_parameters(split("SELECT ?; SELECT ?, ?"), ["a", 2, None])
    ({'1': 'a'}, {'1': 2, '2': None})
    >>> assign_parameters(split("SELECT $b; SELECT $a + $b"), {"a": 1, "b": 2})
    ({'b': 2}, {'a': 1, 'b': 2})
    """
    found = [placeholders(statement) for statement in script]
    every = [each for one in found for each in one]
    _refuse_mixture(every)
    if given is None:
        if every:
            raise _without_value(every[0])
        return tuple({} for _ in script)
    if isinstance(given, str | bytes) or not isinstance(given, Sequence | Mapping):
        raise InvalidRequest("the parameters are not a list or a dict", hint='Pass params=[…] or params={"name": …}.')
    if not every and len(given):
        raise InvalidRequest("the statement has no parameters", hint="Write ?, $1 or $name where a value belongs.")
    try:
        return tuple(_by_name(found, given) if isinstance(given, Mapping) else _in_order(found, given))
    except InvalidRequest as error:
        error.position = error.position or (script[0].position if script else None)
        raise


def _refuse_mixture(every: Sequence[Placeholder]) -> None:
    for each in every[1:]:
        if _style(each) != _style(every[0]):
            raise InvalidRequest(
                f"{every[0].text} and {each.text} can't be combined",
                detail="A script has one kind of parameters: ?, numbers, or names.",
                hint="Use one of them.",
                position=each.position,
            )


def _style(each: Placeholder) -> str:
    return "?" if not each.name else "number" if each.name.isdigit() else "name"


def _in_order(found: Sequence[Sequence[Placeholder]], given: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    used: set[int] = set()
    count = 0
    for one in found:
        values = {}
        for place, each in enumerate(one, 1):
            if _style(each) == "name":
                raise InvalidRequest(
                    f"{each.text} has no value",
                    detail="The values are a list, and the parameter has a name.",
                    hint='Pass a dict such as params={"name": …}.',
                    position=each.position,
                )
            count += not each.name
            index = int(each.name) if each.name else count
            if not 1 <= index <= len(given):
                raise _without_value(each, f"{len(given)} values were given.")
            values[str(index) if each.name else str(place)] = given[index - 1]
            used.add(index)
        yield values
    if unused := sorted(set(range(1, len(given) + 1)) - used):
        raise InvalidRequest(
            f"value {unused[0]} is not used",
            detail=f"{len(given)} values were given, and the statements use {len(used)}.",
            hint="Omit it, or use it.",
        )


def _by_name(found: Sequence[Sequence[Placeholder]], given: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    known: dict[str, Any] = {}
    for name, value in given.items():
        if not isinstance(name, str) or name.casefold() in known:
            raise InvalidRequest(f"{name!r} can't name a parameter", hint="Name each parameter once, with a string.")
        known[name.casefold()] = value
    used = set()
    for one in found:
        values = {}
        for each in one:
            if each.name.casefold() not in known:
                raise _without_value(each)
            values[each.name] = known[each.name.casefold()]
            used.add(each.name.casefold())
        yield values
    if unused := [name for name in given if name.casefold() not in used]:
        raise InvalidRequest(f'parameter "{short(unused[0])}" is not used', hint="Omit it, or check its name.")


def _without_value(each: Placeholder, detail: str | None = None) -> InvalidRequest:
    return InvalidRequest(
        f"parameter {each.text} has no value",
        detail=detail,
        hint="Pass a value for it with params, or on the command line with --param.",
        position=each.position,
    )
