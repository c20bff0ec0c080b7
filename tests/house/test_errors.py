"""The tree of errors: drawn, coded, documented."""

from __future__ import annotations

import re

import pytest

from docs.write_errors import PAGE, family, page
from headwater.core import errors
from headwater.core.errors import HeadwaterError

EVERY = [error for error in family(HeadwaterError) if error.__module__ == errors.__name__]
DRAWN = re.compile(r"^(?P<branch>[ │├└─]*)(?P<name>\w+)( +(?P<code>HW-[A-Z]+-(\d{3}|…)))?", re.MULTILINE)


def drawn() -> dict[str, tuple[int, str | None]]:
    """Each error in the docstring's tree, with its depth and code."""
    tree = (errors.__doc__ or "").split("\n\n", 1)[1]
    lines = [match for line in tree.splitlines() if (match := DRAWN.match(line))]
    left = min(len(match["branch"]) for match in lines)
    return {match["name"]: ((len(match["branch"]) - left) // 4, match["code"]) for match in lines}


def depth(error: type[HeadwaterError]) -> int:
    return error.__mro__.index(HeadwaterError)


def test_the_tree_draws_exactly_the_errors_there_are() -> None:
    assert list(drawn()) == [error.__name__ for error in EVERY]


@pytest.mark.parametrize("error", EVERY, ids=lambda error: error.__name__)
def test_each_error_is_drawn_under_its_parent_with_its_code(error: type[HeadwaterError]) -> None:
    at, code = drawn()[error.__name__]
    assert at == depth(error)
    if error is not HeadwaterError:
        assert code == error.code.removesuffix("000") + "…" if error.code.endswith("-000") else code == error.code


def test_no_two_errors_share_a_code() -> None:
    assert len({error.code for error in EVERY}) == len(EVERY)


@pytest.mark.parametrize("error", EVERY, ids=lambda error: error.__name__)
def test_each_error_says_what_it_means(error: type[HeadwaterError]) -> None:
    assert error.__doc__
    assert error.__doc__.splitlines()[0].endswith(".")


def test_the_page_of_errors_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run make docs"
