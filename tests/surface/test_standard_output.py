"""Standard output that is full, closed, or can't encode a character."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import headwater

QUERY = "SELECT 'é' AS e, i FROM range(2) t(i)"


def run(redirection: str, *arguments: str, **environment: str) -> tuple[int, bytes, str]:
    """The exit code, stdout and stderr of a command in a shell, which has a lake in its folder."""
    if not Path("lake").exists():
        headwater.connect("lake").close()
    shell = ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "headwater", "--lake", "lake"]
    ran = subprocess.run([*shell, *arguments], capture_output=True, env=os.environ | environment)
    return ran.returncode, ran.stdout, ran.stderr.decode()


@pytest.mark.parametrize("arguments", [("status",), ("list",), ("sql", QUERY, "-o", "csv"), ("--help",)])
def test_a_full_or_closed_standard_output_is_an_error_without_a_traceback(
    folder: Path, arguments: tuple[str, ...]
) -> None:
    full = "error: can't write to standard output: No space left on device\n"
    assert run(">/dev/full", *arguments) == (1, b"", full)
    closed = "error: can't write to standard output: Bad file descriptor\n"
    assert run(">&-", *arguments) == (1, b"", closed)
    assert run("2>&-", *arguments)[::2] == (0, "")


def test_characters_that_the_encoding_lacks_are_escaped(folder: Path) -> None:
    def ascii_output(*arguments: str) -> list[str]:
        code, out, err = run("", *arguments, PYTHONIOENCODING="ascii", LC_ALL="C")
        assert (code, err) == (0, "")
        return out.decode("ascii").split()

    assert ascii_output("sql", QUERY, "-o", "csv") == ["e,i", "\\xe9,0", "\\xe9,1"]
    assert ascii_output("sql", QUERY, "-o", "json")[3:4] == ['"\\u00e9",']
    assert "\\xe9" in ascii_output("sql", QUERY)
    assert ascii_output("list")[0] == "schema_name"
