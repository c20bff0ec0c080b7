"""The wheel, installed into an empty environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


@pytest.mark.spark
def test_the_wheel_creates_and_refreshes_a_table_in_an_empty_environment(tmp_path: Path) -> None:
    run([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)], ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    venv = tmp_path / "venv"
    run([sys.executable, "-m", "venv", "--without-pip", str(venv)], tmp_path)
    install = [str(BIN / "uv"), "pip", "install", "--quiet", "--python", str(venv / "bin" / "python")]
    locked = ["--require-hashes", "-r", str(ROOT / "requirements.lock")]
    # The setup of these tests has left the packages in uv's cache, unless somebody has emptied it since.
    cached = subprocess.run([*install, "--offline", *locked], cwd=tmp_path, capture_output=True, check=False)
    if cached.returncode:
        run([*install, *locked], tmp_path)
    run([*install, "--no-deps", str(wheel)], tmp_path)

    def headwater(*arguments: str) -> str:
        return run([str(venv / "bin" / "headwater"), *arguments], tmp_path)

    headwater("init")
    headwater("sql", "CREATE TABLE orders AS SELECT i AS id, i % 3 AS customer, i AS amount FROM range(10) t(i)")
    headwater("create", "CREATE DYNAMIC TABLE sums AS SELECT customer, sum(amount) AS s FROM orders GROUP BY customer")
    headwater("sql", "INSERT INTO orders VALUES (10, NULL, 5), (11, 0, 7); DELETE FROM orders WHERE id = 1")
    (refreshed,) = json.loads(headwater("refresh", "sums", "-o", "json"))
    assert (refreshed["state"], refreshed["action"]) == ("SUCCEED", "INCREMENTAL")
    expected = "SELECT customer, sum(amount) FROM orders GROUP BY customer"
    assert headwater("sql", f"FROM sums EXCEPT ALL {expected}", "-o", "csv").splitlines()[1:] == []
    assert headwater("sql", f"{expected} EXCEPT ALL FROM sums", "-o", "csv").splitlines()[1:] == []
    headwater("compute", "stop")


def run(command: list[str], folder: Path) -> str:
    """The output of a command that knows nothing of this environment."""
    own = ("PYTHONPATH", "VIRTUAL_ENV")
    environment = {
        name: value for name, value in os.environ.items() if name not in own and not name.startswith("HEADWATER_")
    } | {"HEADWATER_COMPUTE_IDLE": "60", "PATH": os.environ["PATH"].replace(f"{BIN}:", "")}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
