"""The settings are documented as they are, and the table of them is complete."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

from docs.write_settings import MORE, PAGE, page
from headwater.cli.init import file_text
from headwater.cli.settings import load
from headwater.core.settings import BY_NAME, DEFAULTS, SETTINGS, Setting, problems_of
from tests.house.repository import PACKAGE


def test_the_page_of_settings_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run make docs"
    assert MORE.keys() <= BY_NAME.keys()


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_each_setting_has_its_variable_its_meaning_and_a_value_to_show(setting: Setting) -> None:
    assert setting.variables[0] == f"HEADWATER_{setting.name.upper()}"
    assert setting.meaning
    assert not setting.meaning.endswith(".")
    assert setting.default or setting.example


def test_the_defaults_are_valid() -> None:
    assert list(problems_of(DEFAULTS.values)) == []
    assert (DEFAULTS.poll_interval, DEFAULTS.history_days, DEFAULTS.retention_days) == (5.0, 7.0, 7.0)
    assert (DEFAULTS.maintenance_interval, DEFAULTS.alert_overdue_after) == (3600.0, 3600.0)
    assert (DEFAULTS.refresh_timeout, DEFAULTS.metrics_port, DEFAULTS.data_path) == (None, None, None)


def test_the_file_of_init_shows_every_setting_with_its_default(tmp_path: Path) -> None:
    above = file_text({}).partition("# Named Spark")[0]
    lines = [line.removeprefix("# ") for line in above.splitlines()]
    text = "\n".join(line for line in lines if line.partition(" = ")[0] in BY_NAME)
    assert list(tomllib.loads(text)) == list(BY_NAME)
    (tmp_path / "headwater.toml").write_text(text.replace("https://…", "https://host/x"), encoding="utf-8")
    found = load({}, {}, tmp_path)
    assert found.problems == ()
    for name, setting in BY_NAME.items():
        if setting.default is not None and name != "lake":
            assert found.values[name].text == setting.default


def test_no_option_states_the_default_of_a_setting_by_hand() -> None:
    for module in (PACKAGE / "cli").glob("*.py"):
        texts = [
            node.value for node in ast.walk(ast.parse(module.read_text("utf-8"))) if isinstance(node, ast.Constant)
        ]
        assert [
            text for text in texts if isinstance(text, str) and "env HEADWATER_" in text and "default" in text
        ] == []
