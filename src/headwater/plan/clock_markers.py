"""The clock in a plan: markers for the clock value of this refresh, or of the previous one."""

from __future__ import annotations

from sqlglot import exp

CLOCK = "__hw_clock_"
CLOCK_BEFORE = "__hw_before_clock_"


def reads_clock(expression: exp.Expr) -> bool:
    """Whether the value depends on the clock.

    >>> reads_clock(exp.maybe_parse("day < __hw_clock_date()")), reads_clock(exp.maybe_parse("day < 3"))
    (True, False)
    """
    return any(call.name.lower().startswith(CLOCK) for call in expression.find_all(exp.Anonymous))


def earlier(expression: exp.Expr) -> exp.Expr:
    """The expression at the previous refresh's clock value.

    >>> earlier(exp.maybe_parse("day < __hw_clock_date()")).sql(normalize_functions=False)
    'day < __hw_before_clock_date()'
    """
    expression = expression.copy()
    for call in list(expression.find_all(exp.Anonymous)):
        if call.name.lower().startswith(CLOCK):
            call.set("this", CLOCK_BEFORE + call.name.lower().removeprefix(CLOCK))
    return expression
