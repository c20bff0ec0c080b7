"""Dollar quotes and parameters: a text has the statements, strings and parameters that DuckDB reads in it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.core.errors import SqlSyntaxError
from headwater.sql.parameters import placeholders
from headwater.sql.split import ScriptStatement, split
from headwater.sql.tokens import TokenKind
from tests.duck import Duck

_NUMBERED = ("$1", "$2", "$10")
_NAMED = ("$a", "$b_1", "$A", "$é", '$"x y"')
_OTHERS = (
    *(
        "x",
        "a$1",
        "x$a$",
        "x$$",
        "é$é$",
        '"q;$a$"',
        '"$$"',
        "7",
        "1.5",
        "'s'",
        "'it''s;'",
        "'$a$'",
        "'$$'",
        "e'\\';'",
        "E'\\$a$'",
    ),
    *("$$a;b$$", "$a$x;$$'$a$", "$b1$\n;$b1$", "$é$;$é$", "$_$$a$$_$", "$$$$", "$$\\$$", "$A$;$a$$A$", "$$ $1,$2 $$"),
)
_BETWEEN = (",", "+", "||", " = 1,", "<0,", ", ", " + ", ",\n", "::INTEGER,", ",-- $a$ ;\n", "/* $$ ; */,")


@st.composite
def _scripts(draw: st.DrawFn) -> str:
    """Statements of terms, one kind of parameters in all of them."""
    terms = st.sampled_from((*draw(st.sampled_from((_NUMBERED, _NAMED, ("?",)))) * 4, *_OTHERS))
    statements = []
    for _ in range(draw(st.integers(1, 3))):
        text = draw(terms)
        for _ in range(draw(st.integers(0, 6))):
            text += draw(st.sampled_from(_BETWEEN)) + draw(terms)
        statements.append(f"SELECT {text}")
    return draw(st.sampled_from((";", "; ", ";\n;"))).join(statements)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("INSERT INTO p VALUES ($1,$2)", ["$1", "$2"]),
        ("INSERT INTO p VALUES ($a,$b)", ["$a", "$b"]),
        ("SELECT $1+$1,$2||$1", ["$1", "$1", "$2", "$1"]),
        ("SELECT coalesce($a,$b)", ["$a", "$b"]),
        ("SELECT $a::INTEGER=$b,'$c'", ["$a", "$b"]),
        ("SELECT $$a$1,$2$$,$1,$t$ $2,$3 $$ $t$,$2", ["$1", "$2"]),
    ],
)
def test_parameters_without_spaces_are_not_read_as_a_tag(text: str, names: list[str]) -> None:
    (statement,) = split(text)
    assert [each.text for each in placeholders(statement)] == names


def test_a_dollar_quote_ends_at_its_own_tag() -> None:
    (statement,) = split("SELECT $a$;$$,$b$'$a$, $$;'$1$$")
    assert [token.text for token in statement.tokens if token.kind is TokenKind.STRING] == [";$$,$b$'", ";'$1"]
    with pytest.raises(SqlSyntaxError, match="ends inside a string"):
        split("SELECT $a$;$A$ ")


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=_scripts())
def test_statements_and_parameters_are_those_of_duckdb(duck: Duck, text: str) -> None:
    assert [_named(one) for one in split(text)] == duck.parameters(text)


def _named(statement: ScriptStatement) -> set[str]:
    """The names of the parameters; those of `?` are 1, 2, …."""
    found = placeholders(statement)
    return {each.name.casefold() or str(place) for place, each in enumerate(found, 1)}
