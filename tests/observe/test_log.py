"""Lines of the log: every fact a field, the worker's and the refresh's id on each, and no secret."""

from __future__ import annotations

import io
import json
import logging
import sys

import pytest

from headwater.cli.logs import logger
from headwater.observe.log import Bound, LogLines
from tests.fakes.log import FakeLog
from tests.observe import happened as h


def test_every_line_has_the_worker_and_lines_about_refreshes_their_id() -> None:
    lines = FakeLog()
    tell = LogLines(Bound(lines, worker="w-1"))
    for event in h.EVERY:
        tell(event)
    assert [(level, event) for level, event, _ in lines.all] == [
        ("info", "worker started"),
        ("info", "refresh"),
        ("error", "refresh"),
        ("warning", "refresh"),
        ("error", "pass failed"),
        ("warning", "refresh overdue"),
        ("warning", "table suspended"),
        ("warning", "table suspended"),
        ("info", "table resumed"),
        ("warning", "lag breached"),
        ("info", "lag met"),
        ("info", "worker stopped"),
    ]
    assert {facts["worker"] for _, _, facts in lines.all} == {"w-1"}
    found = [facts["refresh_id"] for _, event, facts in lines.all if event.startswith("refresh")]
    assert found == ["r-1", "r-2", "r-3", "r-4"]


def test_what_libraries_log_is_json_too(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    before = logging.getLogger().handlers[:]
    try:
        logger("info")
        logging.getLogger("some.library").info("not wanted")
        try:
            raise OSError("broken")
        except OSError:
            logging.exception("while sending to postgresql://me:hunter2@host/lake")
    finally:
        logging.getLogger().handlers[:] = before
    line = json.loads(stream.getvalue())
    assert (line["event"], line["library"], line["level"]) == ("library", "root", "warning")
    assert line["message"] == "while sending to postgresql://me:***@host/lake"
    assert line["exception"][0]["exc_value"] == "broken"


@pytest.mark.parametrize("terminal", [False, True])
def test_passwords_and_webhooks_never_show(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    log = logger("info", ["https://hooks.example/T0/s3cret"])
    secret = "https://hooks.example/T0/s3cret"
    try:
        raise ValueError(f"no answer of {secret} for postgresql://me:hunter2@host/lake")
    except ValueError as error:
        log.error(
            "pass failed",
            error=str(error),
            exc_info=error,
            parts=[secret, {"dsn": "host=h password=hunter2"}, ValueError(secret)],
        )
    text = stream.getvalue()
    assert "no answer of" in text
    assert "s3cret" not in text
    assert "hunter2" not in text
    if not terminal:
        line = json.loads(text)
        assert line["error"] == "no answer of *** for postgresql://me:***@host/lake"
        assert line["exception"][0]["exc_type"] == "ValueError"
