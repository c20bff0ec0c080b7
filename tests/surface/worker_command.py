"""The command `headwater worker`, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from queue import Empty, Queue
from typing import Any


class WorkerCommand:
    """A worker in a process of its own, whose log can be waited for."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "headwater", "worker", *arguments]
        quick = os.environ | {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseParallelGC"}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=quick)
        self._lines: Queue[dict[str, Any]] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if line.startswith("{"):
                self._lines.put(json.loads(line))

    def wait_for(self, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        deadline = time.monotonic() + 90
        seen = []
        while time.monotonic() < deadline:
            try:
                line = self._lines.get(timeout=1)
            except Empty:
                assert self.process.poll() is None, seen
                continue
            seen.append(line)
            if holds(line):
                return line
        raise AssertionError(f"waited in vain: {seen}")

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()
