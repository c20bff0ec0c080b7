"""Patterns of file names with a date: `{date}.parquet`, `year={year}/month={month}/day={day}/data.parquet`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import PurePosixPath

from headwater.loads.period import PeriodType

DEFAULT_DATE_FORMAT = "%Y-%m-%d"
PLACEHOLDERS = ("date", "year", "month", "day", "week")
_PARTS = re.compile(r"\{([^{}]*)\}|([^{}]+)|([{}])")
_FORMAT = re.compile(r"%(.?)|([^%]+)", re.DOTALL)
# By strptime's letter: the text of a day, and what a name may have there.
_DIGITS = {"Y": 4, "m": 2, "d": 2, "y": 2, "j": 3, "G": 4, "V": 2, "u": 1}
_IDENTIFIES_DAY = (
    {"Y", "m", "d"},
    {"y", "m", "d"},
    {"Y", "j"},
    {"y", "j"},
    {"G", "V", "u"},
)
_LETTERS = {"year": "Y", "month": "m", "day": "d", "week": "V"}
_NEVER_IN_NAMES = re.compile(r'[\x00-\x1f\x7f\\:"<>|%#]')
_GLOB = re.compile(r"[*?\[\]]")


class PatternInvalid(ValueError):
    """Why a pattern can't be used; callers turn it into an error with a code."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class FilePattern:
    """A pattern as written, and its parts: texts, and letters of strptime as `%Y`."""

    text: str
    date_format: str
    parts: tuple[str, ...]
    # The period that a name identifies; None if it has no date.
    unit: PeriodType | None

    @classmethod
    def parse(cls, text: str, *, date_format: str = DEFAULT_DATE_FORMAT, source: bool = False) -> FilePattern:
        """Read a pattern, or PatternInvalid. One of a source may be absolute and a glob; one of the table's files may not.

        >>> FilePattern.parse("{year}-W{week}.parquet").unit.value
        'weekly'
        """
        (_check_source if source else _check_relative)(text)
        names: list[str] = []
        parts: list[str] = []
        for found in _PARTS.finditer(text):
            if found[3]:
                raise PatternInvalid(f'the pattern "{text}" has a single brace', _PLACEHOLDER_HINT)
            if found[1] is None:
                parts.append(found[2])
                continue
            _check_placeholder(text, found[1])
            names.append(found[1])
            parts += _format_parts(date_format) if found[1] == "date" else [_part(found[1], "{week}" in text)]
        return cls(text, date_format, tuple(parts), _unit(text, set(names)))

    def name_of(self, day: date) -> str:
        """The name of the file of a day, without a suffix.

        >>> FilePattern.parse("in/sales_{date}.csv", source=True).name_of(date(2024, 1, 5))
        'in/sales_2024-01-05.csv'
        """
        return "".join(_text_of(part, day) for part in self.parts)

    def path_of(self, day: date, id: str) -> str:
        """The relative path of a new file of a day or of the period that begins on it; the id makes it unique.

        >>> FilePattern.parse("year={year}/day={date}/data.parquet").path_of(date(2024, 1, 5), "1f")
        'year=2024/day=2024-01-05/data-1f.parquet'
        """
        path = PurePosixPath(self.name_of(day))
        return str(path.with_name(f"{path.stem}-{id}{path.suffix}"))

    def glob(self) -> str:
        """The glob that finds the files of all days."""
        return re.sub(r"\*+", "*", "".join("*" if part[0] == "%" else part for part in self.parts))

    def match(self, name: str) -> date | None:
        """The day of a file, or the first day of its period; None if the name is not of this pattern.

        Folders of the pattern before its first placeholder are not compared, so that a file may lie elsewhere.

        >>> FilePattern.parse("in/sales_{date}.csv", source=True).match("elsewhere/sales_2024-01-05.csv")
        datetime.date(2024, 1, 5)
        """
        if self.unit is None:
            return None
        shown = "\0".join(self.parts)
        folders = shown[: shown.index("%")].count("/")
        depth = shown.count("/") - folders + 1
        tail = "/".join(name.replace("\\", "/").split("/")[-depth:])
        found = re.fullmatch(self._expression(folders), tail)
        return _day_of(found) if found else None

    def _expression(self, folders: int) -> str:
        """The regular expression of a name without the pattern's first folders; a letter's repetition has the same text."""
        text, seen = "", set()
        rest = "\0".join(self.parts).split("/", folders)[-1].split("\0")
        for part in filter(None, rest):
            if part[0] != "%":
                text += _glob_expression(part)
                continue
            text += f"(?P={part[1]})" if part[1] in seen else f"(?P<{part[1]}>[0-9]{{{_DIGITS[part[1]]}}})"
            seen.add(part[1])
        return text


def date_in_name(name: str, date_format: str = DEFAULT_DATE_FORMAT) -> date | None:
    """The one date in the last part of a path; None if there is none or more than one.

    >>> date_in_name("data/sales_2024-01-05.csv")
    datetime.date(2024, 1, 5)
    """
    parts = _format_parts(date_format)
    form = "".join(f"(?P<{p[1]}>[0-9]{{{_DIGITS[p[1]]}}})" if p[0] == "%" else re.escape(p) for p in parts)
    found = re.finditer(rf"(?<![0-9]){form}(?![0-9])", name.replace("\\", "/").rsplit("/", 1)[-1])
    days = {day for each in found if (day := _day_of(each))}
    return days.pop() if len(days) == 1 else None


def check_date_format(text: str) -> None:
    """Refuse a format of dates that does not identify a day, or that is no part of a file's name."""
    hint = f"Write a format such as {DEFAULT_DATE_FORMAT} or %Y%m%d, of the codes {_CODES}."
    letters = [found[1] for found in _FORMAT.finditer(text) if found[1] is not None]
    unknown = next((letter for letter in letters if letter not in _DIGITS), None)
    if unknown is not None:
        raise PatternInvalid(f'the date format "{text}" has the unknown code %{unknown}', hint)
    if not any(needed <= set(letters) for needed in _IDENTIFIES_DAY):
        raise PatternInvalid(f'the date format "{text}" does not identify a day', hint)
    if len(set(letters)) < len(letters):
        raise PatternInvalid(f'the date format "{text}" repeats a code', hint)
    if "/" in text or "{" in text or "}" in text or _NEVER_IN_NAMES.search(text.replace("%", "")) or _GLOB.search(text):
        raise PatternInvalid(f'the date format "{text}" has characters that no file name has', hint)


def check_relative_path(text: str) -> None:
    """Refuse a path that is absolute, leaves its folder, or has characters that not all file systems take."""
    if text.startswith(("/", "~")) or re.match(r"[A-Za-z]:|[\w+.-]+://", text):
        raise PatternInvalid(f'the path "{text}" is absolute', "Write a relative path such as data/tables/sales/.")
    if ".." in text.split("/"):
        raise PatternInvalid(f'the path "{text}" has ..', "Write a path without .. in it.")
    found = _NEVER_IN_NAMES.search(text) or _GLOB.search(text)
    if found:
        raise PatternInvalid(f"the path has the character {found[0]!r}", "Remove it.")
    if not text.strip() or text.strip() != text or "" in text.removesuffix("/").split("/"):
        raise PatternInvalid(
            f'the path "{text}" has an empty part', "Write a relative path such as data/tables/sales/."
        )


_CODES = ", ".join(f"%{letter}" for letter in _DIGITS)
_PLACEHOLDER_HINT = f"Use {', '.join(f'{{{name}}}' for name in PLACEHOLDERS)}."


def _check_relative(text: str) -> None:
    check_relative_path(text)
    if not text.endswith(".parquet") or text.endswith("/.parquet") or text == ".parquet":
        raise PatternInvalid(f'the pattern "{text}" does not name a Parquet file', "End it in .parquet.")


def _check_source(text: str) -> None:
    if not text.strip() or re.search(r"[\x00-\x1f\x7f%]", text):
        raise PatternInvalid("the source is not a path", "Write a file, folder or glob such as in/sales_{date}.csv.")
    if "**" in text:
        raise PatternInvalid(f'the source "{text}" has **', "Use * for a part of a name.")


def _check_placeholder(text: str, name: str) -> None:
    if name in PLACEHOLDERS:
        return
    near = get_close_matches(name, PLACEHOLDERS, 1)
    hint = f"Did you mean {{{near[0]}}}? {_PLACEHOLDER_HINT}" if near else _PLACEHOLDER_HINT
    raise PatternInvalid(f'the pattern "{text}" has the unknown placeholder {{{name}}}', hint)


def _part(name: str, by_week: bool) -> str:
    """The letter of a placeholder; beside a week, the year is that of ISO weeks."""
    return "%G" if name == "year" and by_week else f"%{_LETTERS[name]}"


def _format_parts(date_format: str) -> list[str]:
    check_date_format(date_format)
    return [found[0] for found in _FORMAT.finditer(date_format)]


def _unit(text: str, names: set[str]) -> PeriodType | None:
    """The period that the placeholders identify together."""
    for name, needed in (("week", {"year"}), ("month", {"year"}), ("day", {"year", "month"})):
        if name in names and not needed <= names:
            missing = " and ".join(f"{{{each}}}" for each in sorted(needed - names, reverse=True))
            raise PatternInvalid(f'the pattern "{text}" has {{{name}}} without {missing}', f"Add {missing}.")
    if "week" in names and names & {"month", "day"}:
        raise PatternInvalid(f'the pattern "{text}" has weeks and months', "Use {year} and {week}, or {date}.")
    for name, unit in (
        ("date", "daily"),
        ("day", "daily"),
        ("week", "weekly"),
        ("month", "monthly"),
        ("year", "yearly"),
    ):
        if name in names:
            return PeriodType(unit)
    return None


def _text_of(part: str, day: date) -> str:
    if part[0] != "%":
        return part
    year, week, weekday = day.isocalendar()
    numbers = {
        "Y": day.year,
        "y": day.year % 100,
        "m": day.month,
        "d": day.day,
        "j": day.timetuple().tm_yday,
        "G": year,
        "V": week,
        "u": weekday,
    }
    return f"{numbers[part[1]]:0{_DIGITS[part[1]]}}"


def _day_of(found: re.Match[str]) -> date | None:
    """The day of the numbers in a name; None if there is no such day, or if they contradict each other."""
    numbers = {letter: int(text) for letter, text in found.groupdict().items()}
    year = numbers.get("Y")
    if year is None and "y" in numbers:
        # As strptime: 69 is 1969, 68 is 2068.
        year = numbers["y"] + (1900 if numbers["y"] >= 69 else 2000)
    try:
        if year is not None and "j" in numbers:
            day = date.fromordinal(date(year, 1, 1).toordinal() + numbers["j"] - 1)
        elif year is None or ("V" in numbers and "m" not in numbers):
            day = date.fromisocalendar(numbers["G"], numbers["V"], numbers.get("u", 1))
        else:
            day = date(year, numbers.get("m", 1), numbers.get("d", 1))
    except (ValueError, OverflowError):
        return None
    return day if all(int(_text_of(f"%{letter}", day)) == number for letter, number in numbers.items()) else None


def _glob_expression(text: str) -> str:
    """The regular expression of a text with *, ? and [ ] as in a shell."""
    found = ""
    for piece in re.findall(r"\*|\?|\[!?\]?[^\]/]*\]|.", text, re.DOTALL):
        match piece:
            case "*":
                found += "[^/]*?"
            case "?":
                found += "[^/]"
            case _ if len(piece) > 1:
                inner = re.sub(r"([\\\[\]^&~|])", r"\\\1", piece[1:-1].removeprefix("!"))
                found += f"[{'^' if piece[1] == '!' else ''}{inner}]"
            case _:
                found += re.escape(piece)
    return found
