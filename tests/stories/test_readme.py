"""What README.md and the demo show is what happens."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from tests.duck import Duck

ROOT = Path(__file__).resolve().parents[2]


def blocks(language: str) -> list[str]:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)


def test_the_example_of_the_readme_runs_and_duckdb_reads_its_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], duck: Duck
) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = blocks("python")
    names: dict[str, object] = {}
    exec(example, names)
    changed, before = capsys.readouterr().out.split("+\n\n")[:2]
    assert sorted(re.findall(r"\|\s*ada\|\s*([\d.]+)\|.*?(-?1)\|", changed)) == [("19.0", "1"), ("9.5", "-1")]
    assert re.findall(r"\|\s*(\w+)\|\s*([\d.]+)\|$", before, re.MULTILINE) == [("ada", "9.5"), ("bob", "3.0")]
    duck.attach("sqlite:" + str(tmp_path / "my-lake" / "catalog.sqlite"))
    assert sorted(duck.execute("FROM lake.orders")) == [(1, "ada", 19.0), (2, "bob", 3.0)]


def test_the_demo_runs(capsys: pytest.CaptureFixture[str]) -> None:
    demo = runpy.run_path(str(ROOT / "examples" / "demo.py"))
    assert demo["main"]() == 0
    assert "Both clients agree on every snapshot." in capsys.readouterr().out
