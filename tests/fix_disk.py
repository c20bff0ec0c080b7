"""A small file system of the test's own, which can be full or read-only."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


class Disk:
    """A small file system, which can be filled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        """Leave no room."""
        with self._ballast.open("ab", buffering=0) as file:
            for size in (1 << 16, 1 << 12, 1):
                with suppress(OSError):
                    while True:
                        file.write(b"\0" * size)

    def free(self) -> None:
        """Make room again."""
        self._ballast.unlink()

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """Let nobody write by the folder's path while the block runs; what is open stays writable."""
        for options in (["--bind", str(self.folder)], ["-o", "remount,bind,ro"]):
            subprocess.run(["mount", *options, str(self.folder)], check=True)
        try:
            yield
        finally:
            subprocess.run(["umount", "--lazy", str(self.folder)], check=True)

    @contextmanager
    def full(self) -> Iterator[None]:
        """Leave no room while the block runs."""
        self.fill()
        try:
            yield
        finally:
            self.free()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no small file system can be mounted: {mounted.stderr.decode().strip()}")
    yield Disk(folder)
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
