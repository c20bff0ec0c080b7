"""A command that takes an argument beginning with a comment, such as `-- text`, for SQL and not for an option."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand


class SqlArgumentCommand(TyperCommand):
    """An option has no space after its dashes, a comment of SQL mostly has one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put a space before the comment, which moves no token: nothing but the comment is on its line."""
        with_value = {flag for each in self.params if not getattr(each, "is_flag", False) for flag in each.opts}
        before = (None, *args)
        given = [
            f" {arg}" if _is_comment(arg) and previous not in with_value else arg
            for previous, arg in zip(before, args, strict=False)
        ]
        return super().parse_args(ctx, given)


def _is_comment(arg: str) -> bool:
    return arg.startswith("--") and arg[2:3].isspace()
