"""Tags: numbers that identify the file of each row in a scan.

A tag is the CRC-32 of the file's name: cheap for Spark, and known to the driver without a job. The tag and the row's
position form a BIGINT key of the row within the scan, by which deletes are joined.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from pyspark.sql import DataFrame

from headwater.core.errors import EngineError, FeatureRefused

POSITION_BITS = 31
# Up to this number of files, an expression that maps tags is cheaper than the job of a join with a small table.
FEW = 32
_JAVA_LEGAL = "/@,;:$&+=_-!.~'()*"


@dataclass(frozen=True, slots=True)
class Tags:
    """A distinct tag for each path."""

    of: dict[str, int]
    by_path: bool = False

    def expression(self) -> str:
        """The SQL expression for the tag of a row's file."""
        return f"crc32(_metadata.{'file_path' if self.by_path else 'file_name'})"

    def key(self) -> str:
        """The SQL expression for the key of a row."""
        base = f"{self.base(next(iter(self.of)))}L"
        if len(self.of) > 1:
            base = f"shiftleft({self.expression()}, {POSITION_BITS})"
        return f"{base} + _metadata.row_index"

    def choose(self, tagged: str, numbers: Mapping[str, int | None]) -> str:
        """The SQL expression that maps the tag in a column to its file's number; for at most FEW files."""
        texts = {path: "CAST(NULL AS BIGINT)" if number is None else f"{number}L" for path, number in numbers.items()}
        if len(set(texts.values())) == 1:
            return next(iter(texts.values()))
        cases = " ".join(f"WHEN {self.of[path]} THEN {text}" for path, text in texts.items())
        return f"CASE {tagged} {cases} END"

    def base(self, path: str) -> int:
        """The key of the file's first position."""
        return self.of[path] << POSITION_BITS

    def check(self, scan: DataFrame) -> None:
        """Check that Spark returns the expected paths, if tags depend on them."""
        if self.by_path and {spark_url(path) for path in self.of} != {
            url.replace("file:///", "file:/", 1) for url in scan.inputFiles()
        }:
            raise EngineError(
                "Spark returns unexpected paths for the table's files",
                detail="Several files of the table have the same name, and their paths can't be distinguished.",
                hint="Rewrite the table's files: CALL ducklake_rewrite_data_files.",
            )


def tag(paths: Iterable[str]) -> list[Tags]:
    """Tags for the paths: one set, or several if two files would have the same tag."""
    paths = list(paths)
    names = {path: path.rpartition("/")[2] for path in paths}
    for path, name in names.items():
        # Spark ignores such files in a scan, even if they are listed explicitly.
        if (name.startswith("_") and "=" not in name) or name.startswith(".") or name.endswith("._COPYING_"):
            raise FeatureRefused(f'file "{path}" has a name that Spark skips', hint="Rewrite the table's files.")
    by_path = len(set(names.values())) < len(paths)
    sets: list[dict[str, int]] = []
    taken: list[set[int]] = []
    for path in paths:
        value = zlib.crc32((spark_url(path) if by_path else _quoted(names[path])).encode())
        place = next((i for i, used in enumerate(taken) if value not in used), len(sets))
        if place == len(sets):
            sets.append({})
            taken.append(set())
        sets[place][path] = value
        taken[place].add(value)
    return [Tags(of, by_path) for of in sets]


def spark_url(path: str) -> str:
    """The path in the form of Spark's _metadata.file_path.

    >>> spark_url("/lake/k=x%20y/ä b.parquet")
    'file:/lake/k=x%2520y/ä%20b.parquet'
    """
    if "://" in path:
        scheme, _, rest = path.partition("://")
        return f"{scheme}://{_quoted(rest)}"
    return f"file:{_quoted(path)}"


def _quoted(path: str) -> str:
    # Java keeps letters beyond ASCII, and escapes all spaces and control characters.
    return "".join(
        letter
        if ord(letter) > 127 and letter.isprintable() and not letter.isspace()
        else quote(letter, safe=_JAVA_LEGAL)
        for letter in path
    )


def local_path(url: str) -> str:
    """The path of a URL that `spark_url` returns.

    >>> local_path("file:/lake/k=x%2520y/b.parquet"), local_path("s3://lake/b.parquet")
    ('/lake/k=x%20y/b.parquet', 's3://lake/b.parquet')
    """
    return unquote("/" + url.removeprefix("file:").lstrip("/")) if url.startswith("file:") else url
