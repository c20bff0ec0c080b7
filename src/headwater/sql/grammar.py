"""The sqlglot dialects of queries: Spark's has two, with names or strings in double quotes."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import TokenType, exp
from sqlglot.dialects import Dialect
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.dialects.spark import Spark
from sqlglot.parsers.spark import SparkParser

from headwater.sql.dollar_quotes import DollarQuoteTokenizer


class SparkQueries(Spark):
    """Spark's SQL, in which the function window can be the first in GROUP BY; sqlglot takes it for a WINDOW clause.

    >>> from sqlglot import parse_one
    >>> parse_one("SELECT count(*) FROM t GROUP BY window(a, '1 day')", read=SparkQueries).sql("spark")
    "SELECT COUNT(*) FROM t GROUP BY WINDOW(a, '1 day')"
    """

    class Parser(SparkParser):
        def _parse_group(self, skip_group_by_token: bool = False) -> exp.Group | None:
            first = self._index + (not skip_group_by_token)
            kinds = [token.token_type for token in self._tokens[first : first + 2]]
            if kinds != [TokenType.WINDOW, TokenType.L_PAREN]:
                return super()._parse_group(skip_group_by_token)
            # No keyword here: a word like any other.
            self._tokens[first].token_type = TokenType.VAR
            return super()._parse_group(skip_group_by_token)


class SparkWithQuotedNames(SparkQueries):
    """Spark's SQL with `spark.sql.ansi.doubleQuotedIdentifiers`: a double-quoted text is a name.

    >>> from sqlglot import parse_one
    >>> parse_one('SELECT "a b" FROM t', read=SparkWithQuotedNames).sql("spark")
    'SELECT `a b` FROM t'
    """

    class Tokenizer(SparkQueries.Tokenizer):
        QUOTES: ClassVar[list[str | tuple[str, str]]] = ["'"]
        IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ["`", '"']


class DuckDbWithTags(DuckDB):
    """DuckDB's SQL with its own rule for the tags of dollar quotes.

    >>> from sqlglot import parse_one
    >>> parse_one("SELECT $1,$2", read=DuckDbWithTags).sql("duckdb")
    'SELECT $1, $2'
    """

    class Tokenizer(DollarQuoteTokenizer):
        pass


def grammar(dialect: str, *, double_quoted_names: bool) -> Dialect:
    """The grammar of a dialect of queries; in dialects other than Spark's, double quotes always enclose names."""
    if dialect == "spark":
        return Dialect.get_or_raise(SparkWithQuotedNames if double_quoted_names else SparkQueries)
    return Dialect.get_or_raise(DuckDbWithTags if dialect == "duckdb" else dialect)
