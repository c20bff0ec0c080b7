"""The sqlglot dialects of queries: Spark's has two, with names or strings in double quotes."""

from __future__ import annotations

from typing import ClassVar

from sqlglot.dialects import Dialect
from sqlglot.dialects.spark import Spark


class SparkWithQuotedNames(Spark):
    """Spark's SQL with `spark.sql.ansi.doubleQuotedIdentifiers`: a double-quoted text is a name.

    >>> from sqlglot import parse_one
    >>> parse_one('SELECT "a b" FROM t', read=SparkWithQuotedNames).sql("spark")
    'SELECT `a b` FROM t'
    """

    class Tokenizer(Spark.Tokenizer):
        QUOTES: ClassVar[list[str | tuple[str, str]]] = ["'"]
        IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ["`", '"']


def grammar(dialect: str, *, double_quoted_names: bool) -> Dialect:
    """The grammar of a dialect of queries; in dialects other than Spark's, double quotes always enclose names."""
    return Dialect.get_or_raise(SparkWithQuotedNames if dialect == "spark" and double_quoted_names else dialect)
