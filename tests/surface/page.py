"""A page of the documentation, run from top to bottom: its statements, and its commands with their output."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```(sql|python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROGRESS = re.compile(r"running …|\S+  [A-Z]+  ")
# What differs from run to run: ids, times, durations, sizes of files.
_VARIES = (
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<id>"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?"), "<time>"),
    (re.compile(r"\b\d+:\d\d:\d\d(\.\d+)?"), "<duration>"),
    (re.compile(r"\b(\d+ min )?\d+(\.\d+)? s\b"), "<seconds>"),
    (re.compile(r"\b\d+(\.\d+)?(?=( NULL)?$)"), "<last>"),
    (re.compile(r"\b\d{4,}\b"), "<many>"),
)


@dataclass(frozen=True, slots=True)
class Script:
    """A block of SQL or Python, whose output the page does not show."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the page as it is written there, with the output that follows it."""

    text: str
    output: str

    @property
    def arguments(self) -> list[str]:
        """Its arguments, without `headwater` itself and without what the shell does with its output."""
        program, *arguments = shlex.split(re.split(r" \| grep | > /dev/null$", self.text)[0])
        assert program == "headwater", self.text
        return arguments

    def filtered(self, out: str) -> str:
        """What is left of its standard output after `| grep -E …` or `> /dev/null`."""
        if self.text.endswith(" > /dev/null"):
            return ""
        _, found, grep = self.text.partition(" | grep ")
        if not found:
            return out
        option, pattern = shlex.split(grep)
        assert option == "-E", self.text
        return "".join(line for line in out.splitlines(keepends=True) if re.search(pattern, line))


def steps(page: Path) -> Iterator[Script | Command]:
    """The scripts and commands of a page, in order."""
    for language, text in _BLOCK.findall(page.read_text(encoding="utf-8")):
        if language != "console":
            yield Script(language, text)
            continue
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield Command(command, output)


def displayed(output: str) -> str:
    """The output as a page shows it: without progress, and without spaces at the ends of lines."""
    lines = (line.rstrip() for line in output.splitlines() if not _PROGRESS.match(line))
    return "".join(f"{line}\n" for line in lines)


def comparable(output: str) -> list[str]:
    """Its lines without the widths of columns, and without what differs from run to run."""
    lines = (re.sub(r"\s+", " ", re.sub("─+", "─", line)).strip() for line in output.splitlines())
    return [_without_variation(line) for line in lines]


def rewrite(page: Path, outputs: Sequence[str]) -> None:
    """Write the output of all commands into the page, in order."""
    left = iter(outputs)

    def written(block: re.Match[str]) -> str:
        if block[1] != "console":
            return block[0]
        commands = (part.partition("\n")[0] for part in re.split(r"^\$ ", block[2], flags=re.MULTILINE)[1:])
        return "```console\n" + "".join(f"$ {command}\n{next(left)}" for command in commands) + "```"

    page.write_text(_BLOCK.sub(written, page.read_text(encoding="utf-8")), encoding="utf-8")


def _without_variation(line: str) -> str:
    for pattern, mark in _VARIES:
        line = pattern.sub(mark, line)
    return line
