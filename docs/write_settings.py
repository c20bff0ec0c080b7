"""Writes docs/reference/settings.md from core/settings.py."""

from __future__ import annotations

from pathlib import Path

from headwater.core.settings import BY_NAME, SETTINGS, Setting

PAGE = Path(__file__).with_name("reference") / "settings.md"
INTRODUCTION = """\
# Settings

<!-- Written by `make docs` from src/headwater/core/settings.py. -->

A setting comes from a command-line flag, else an environment variable, else headwater.toml in the current folder (or the file
that `HEADWATER_CONFIG` names), else the default. `headwater config show` prints each value and where it comes from.
`headwater init` writes a headwater.toml with all settings as comments.

| key | environment variable | default | meaning |
|---|---|---|---|
"""
END = """
`[warehouses.NAME]` tables define [warehouses](../guides/warehouses.md). An unknown key is an error.
"""
# Where a page says more than the table.
MORE = {
    "maintenance_interval": "; see [maintenance](../guides/maintenance.md)",
    "refresh_timeout": "; see [time limit](../guides/failures-and-limits.md#time-limit)",
    "spark_memory": f"; an amount such as `{BY_NAME['spark_memory'].example}`; see [warehouses](../guides/warehouses.md)",
    "metrics_port": f", such as `{BY_NAME['metrics_port'].example}`; see [metrics](../guides/monitoring.md#metrics)",
    "alert_webhook": "; a secret; see [alerts](../guides/monitoring.md#alerts-by-webhook)",
}


def row(setting: Setting) -> str:
    """The row of a setting."""
    default = setting.default_words or setting.default or "none"
    if setting.default is not None:
        default = f"`{default}`"
    variables = ", ".join(f"`{variable}`" for variable in setting.variables)
    # The meaning is that of headwater.toml.
    meaning = setting.meaning.replace("this file", "headwater.toml")
    return f"| `{setting.name}` | {variables} | {default} | {meaning}{MORE.get(setting.name, '')} |\n"


def page() -> str:
    """The text of docs/reference/settings.md."""
    return INTRODUCTION + "".join(row(each) for each in SETTINGS) + END


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
