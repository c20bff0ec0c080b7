"""Workers as a user runs them, in processes of their own, for tests that treat them badly."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any


class WorkerProcess:
    """`headwater worker` on a lake; its log goes into a file. If it is short-lived, Java is told not to try for long."""

    def __init__(self, url: str, log: Path, *options: str, short: bool = True) -> None:
        command = [sys.executable, "-m", "headwater", "worker", "--lake", url, "--poll-interval", "0.5"]
        command += ["--spark-memory", "1g", *options]
        quick = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"} if short else {}
        self.log = log
        with log.open("wb") as into:
            self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=into, env=os.environ | quick)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    @property
    def java(self) -> int | None:
        """The process of its Spark, if it has one."""
        found = subprocess.run(
            ["pgrep", "-P", str(self.process.pid), "java"], capture_output=True, text=True, check=False
        )
        return int(found.stdout.split()[0]) if found.stdout.strip() else None

    def kill(self) -> None:
        """End it as by kill -9, and its Spark with it, as the kernel does with what is in one container."""
        java = self.java
        self.process.kill()
        self.process.wait()
        if java is not None:
            _kill(java)

    def kill_spark(self) -> bool:
        """Kill its Spark alone; whether there was one."""
        java = self.java
        return java is not None and _kill(java)

    def stop(self) -> int:
        """Ask it to end, and wait until it has; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120)

    def said(self, event: str) -> list[dict[str, Any]]:
        """The lines of its log about an event."""
        lines = (line for line in self.log.read_text().splitlines() if line.startswith("{"))
        return [found for line in lines if (found := json.loads(line))["event"] == event]


def _kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True
