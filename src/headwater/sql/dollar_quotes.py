"""Read dollar quotes as DuckDB and PostgreSQL do: `$$` or `$tag$`, where the tag is an identifier without `$`."""

from __future__ import annotations

import re

from sqlglot.dialects.duckdb import DuckDB
from sqlglot.tokenizer_core import TokenizerCore

# All letters beyond ASCII can be in an identifier.
_OPENING = re.compile(r"\$(?:(?:[A-Za-z_]|[^\x00-\x7f\s])(?:[A-Za-z0-9_]|[^\x00-\x7f\s])*)?\$")


class _Core(TokenizerCore):
    """sqlglot's tokenizer takes any text without a space for a tag, such as that of `$1,$2`."""

    __slots__ = ()

    def _scan_string(self, start: str) -> bool:
        if start == "$" and _OPENING.match(self.sql, self._start) is None:
            self._add(self.heredoc_string_alternative)
            return True
        return super()._scan_string(start)


class DollarQuoteTokenizer(DuckDB.Tokenizer):
    """The tokenizer of DuckDB's dialect, with DuckDB's own rule for tags."""

    def _init_core(self) -> TokenizerCore:
        core = super()._init_core()
        core.__class__ = _Core
        return core
