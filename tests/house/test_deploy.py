"""What is shipped for Prometheus, Grafana and systemd fits the code, and all metrics are documented."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.write_metrics import PAGE, page
from headwater.observe.gauges import Gauges
from headwater.observe.lake_state import LakeState
from headwater.observe.metrics import Metrics
from headwater.observe.server import serving
from tests.house.repository import ROOT
from tests.observe.happened import EVERY, NOON
from tests.observe.scrape import Page

DASHBOARD = json.loads((ROOT / "deploy" / "grafana" / "headwater.json").read_text(encoding="utf-8"))
RULES = yaml.safe_load((ROOT / "deploy" / "prometheus" / "alerts.yml").read_text(encoding="utf-8"))
SCRAPING = yaml.safe_load((ROOT / "deploy" / "prometheus" / "prometheus.yml").read_text(encoding="utf-8"))
NAME = re.compile(r"\b(?:headwater|process)_\w+")


@pytest.fixture(scope="module")
def served() -> Iterator[Page]:
    metrics = Metrics("host:1")
    metrics.registry.register(Gauges(lambda: LakeState(NOON)))
    for event in EVERY:
        metrics(event)
    with serving("127.0.0.1", 0, metrics.registry, dict) as address:
        yield Page(address)


def rules() -> list[dict[str, Any]]:
    return [rule for group in RULES["groups"] for rule in group["rules"]]


def expressions() -> dict[str, str]:
    """All queries of panels, variables and rules, by where they are."""
    found = {f"rule {rule['alert']}": rule["expr"] for rule in rules()}
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            found[f"panel {panel['title']} {target['refId']}"] = target["expr"]
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            found[f"variable {variable['name']}"] = variable["query"]["query"]
    return found


@pytest.mark.parametrize("where", expressions())
def test_every_metric_that_is_asked_for_is_exported(where: str, served: Page) -> None:
    asked = set(NAME.findall(expressions()[where]))
    assert asked
    assert asked - served.names == set()


@pytest.mark.parametrize("where", expressions())
def test_every_query_closes_what_it_opens(where: str) -> None:
    text = re.sub(r'"[^"]*"', "", expressions()[where])
    for left, right in ("()", "{}", "[]"):
        assert text.count(left) == text.count(right)


def test_every_metric_has_a_panel_or_a_rule(served: Page) -> None:
    shown = " ".join(expressions().values())
    families = {family.name for family in served.families if family.name.startswith("headwater_")}
    assert {name for name in families if name not in shown} == set()


def test_every_metric_is_documented(served: Page) -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run make docs"
    documented = set(re.findall(r"^\| `(headwater_\w+)`", page(), re.MULTILINE))
    live = {
        family.name + ("_total" if family.type == "counter" else "")
        for family in served.families
        if family.name.startswith("headwater_")
    }
    assert live == documented


def test_every_rule_says_what_is_wrong_and_what_to_do() -> None:
    for rule in rules():
        assert re.fullmatch(r"Headwater\w+", rule["alert"])
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert rule["annotations"].keys() == {"summary", "description"}


def test_panels_do_not_cover_each_other_and_use_the_chosen_source() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(at["x"] + dx, at["y"] + dy) for dx in range(at["w"]) for dy in range(at["h"])}
        assert not cells & taken, panel["title"]
        taken |= cells
        assert panel["type"] == "row" or panel["datasource"]["uid"] == "${datasource}"
    assert max(x for x, _ in taken) < 24
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)


def test_prometheus_itself_finds_nothing_wrong_with_the_rules() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("needs promtool, of Debian's package prometheus")
    for check in (["check", "config", "prometheus.yml"], ["test", "rules", "alerts_test.yml"]):
        ran = subprocess.run(
            [promtool, *check], cwd=ROOT / "deploy" / "prometheus", capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_scrape_example_loads_the_rules_and_finds_the_documented_port() -> None:
    assert SCRAPING["rule_files"] == ["alerts.yml"]
    ((job,),) = (SCRAPING["scrape_configs"],)
    port = job["static_configs"][0]["targets"][0].rpartition(":")[2]
    assert f"--metrics-port {port}" in (ROOT / "docs" / "guides" / "monitoring.md").read_text(encoding="utf-8")


def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("needs systemd-analyze, of Debian's package systemd")
    shipped = (ROOT / "deploy" / "systemd" / "headwater-worker.service").read_text(encoding="utf-8")
    installed = str(Path(sys.executable).with_name("headwater"))
    assert shipped.count("/usr/local/lib/headwater/bin/headwater worker") == 1
    unit = tmp_path / "headwater-worker.service"
    unit.write_text(shipped.replace("/usr/local/lib/headwater/bin/headwater", installed), encoding="utf-8")
    ran = subprocess.run([analyze, "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout + ran.stderr) == (0, "")


def test_the_example_of_a_workers_environment_sets_settings_that_there_are() -> None:
    lines = (ROOT / "deploy" / "systemd" / "worker.env").read_text(encoding="utf-8").splitlines()
    named = {line.partition("=")[0] for line in lines if not line.startswith("#")}
    documented = set(
        re.findall(r"`(HEADWATER_\w+)`", (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8"))
    )
    assert named <= documented
    assert "HEADWATER_LAKE" in named
