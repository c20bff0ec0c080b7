"""Settings, output and error handling that all commands share."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import typer

from headwater.cli.collection import resume_collection
from headwater.cli.exit_codes import tell
from headwater.cli.options import DataPathOption, LakeOption, OutputOption
from headwater.cli.output import Format, fits, show
from headwater.cli.settings import load
from headwater.core.errors import HeadwaterError, InvalidRequest
from headwater.core.settings import SETTINGS, Settings
from headwater.service.result import Result

P = ParamSpec("P")
Columns = Sequence[str]
Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Call:
    """One run of a command: its settings, and how it prints."""

    settings: Settings
    output: Format

    def show_brief(self, brief: Columns, rows: Rows, columns: Columns, every: Rows, *, wide: bool) -> None:
        """Print brief rows as a table; all columns if they are wanted or fit the terminal, and in other formats."""
        if wide or self.output is not Format.table or fits(columns, every):
            self.show(columns, every)
        else:
            self.show(brief, rows)

    def show_result(self, result: Result) -> None:
        """Print the result of a statement."""
        self.show(result.columns, result.rows)

    def show(self, columns: Columns, rows: Rows, null: str = "") -> None:
        """Print rows in the chosen format; NULL is `null` in CSV."""
        show(columns, rows, self.output, null)


def command(work: Callable[Concatenate[Call, P], int | None]) -> Callable[..., None]:
    """Make a Typer command from a function of a Call and its own arguments; its return value is the exit code."""

    @wraps(work)
    def run(ctx: typer.Context, **given: Any) -> None:
        output = given.pop("output")
        above: dict[str, str | None] = ctx.find_root().obj or {}
        passed = {each.name: given.pop(each.name, None) for each in SETTINGS}
        flags = {name: flag if flag is not None else above.get(name) for name, flag in passed.items()}
        if (url := given.pop("pg_url", None)) is not None:
            flags["lake"] = url if flags["lake"] is None else _refuse_both()
        resume_collection()
        try:
            call = Call(load(flags, os.environ, Path.cwd()), output)
            code = work(call, **given)  # type: ignore[call-arg]
        except HeadwaterError as error:
            code = tell(error, output)
        if code:
            raise typer.Exit(code)

    own = list(inspect.signature(work, eval_str=True).parameters.values())[1:]
    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter("lake", keyword, default=None, annotation=LakeOption),
        inspect.Parameter("data_path", keyword, default=None, annotation=DataPathOption),
        inspect.Parameter("output", keyword, default=Format.table, annotation=OutputOption),
    ]
    added = [parameter for parameter in shared if parameter.name not in {each.name for each in own}]
    parameters = [inspect.Parameter("ctx", keyword, annotation=typer.Context)]
    parameters += [parameter.replace(kind=keyword) for parameter in (*own, *added)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del run.__wrapped__
    return run


def _refuse_both() -> str:
    raise typer.BadParameter("--lake and --pg-url can't be combined")


def text_of(text: str | None, file: Path | None) -> str:
    """The SQL from an argument, a file or stdin."""
    if (text is None) == (file is None):
        raise typer.BadParameter("pass either the text or a file with -f")
    if text == "-" or str(file) == "-":
        return typer.get_text_stream("stdin").read()
    if file is None:
        assert text is not None
        return text
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InvalidRequest(f'cannot read "{file}"', detail=f"{reason}.", hint="Check the path.") from error
