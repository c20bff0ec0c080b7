"""The guide on troubleshooting names each code that a user can meet, and no other."""

from __future__ import annotations

import re

from docs.write_errors import family
from headwater.core import errors
from headwater.core.errors import HeadwaterError
from tests.house.repository import ROOT

PAGE = ROOT / "docs" / "guides" / "troubleshooting.md"
# Codes of whole families, which no error that is raised has, end in 000.
RAISED = {
    error.code for error in family(HeadwaterError) if error.__module__ == errors.__name__ and error.code[-3:] != "000"
}


def test_it_names_each_code_in_a_row_of_its_own_group_and_no_code_that_does_not_exist() -> None:
    rows = re.findall(r"^\| (`HW-[^|]*) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    named = [code for row in rows for code in re.findall(r"HW-[A-Z]+-\d+", row)]
    assert set(re.findall(r"HW-[A-Z]+-\d+", PAGE.read_text(encoding="utf-8"))) == RAISED
    assert sorted(named) == sorted(RAISED)
