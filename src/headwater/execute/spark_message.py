"""The message of a Spark error for users of Headwater: without its advice to change settings, which definitions fix."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from py4j.java_gateway import is_instance_of  # type: ignore[import-untyped]
from pyspark import SparkContext

from headwater.core.excerpt import Excerpt

# A sentence of a message template begins with a capital after a full stop or a parameter.
_SENTENCES = re.compile(r"(?<=[.>]) (?=[A-Z]|\d\))")
_PARAMETER = re.compile(r"<(\w+)>")
_SETTING = "spark.sql."
# SQLSTATE classes of errors in values and in the text of a query.
_OF_QUERY = ("22", "42", "21")


def message_of(java: Any, condition: str | None) -> str:
    """The message of a Spark exception, without sentences that name a setting of Spark.

    A condition's template says which sentences do: by a parameter whose value is the setting's name.
    """
    text = str(java.getMessage() or "")
    if condition is None:
        return text
    parameters = {str(name): str(value) for name, value in dict(java.getMessageParameters()).items()}
    found = without_settings(_template(condition), parameters)
    return text if found is None else f"[{condition}] {found}"


def without_settings(template: str, parameters: Mapping[str, str]) -> str | None:
    """A template with its parameters but without sentences that name a setting; None if there are none to leave out.

    >>> facts = {"config": '"spark.sql.ansi.enabled"'}
    >>> without_settings('Division by zero. Use `try_divide`. If necessary set <config> to "false".', facts)
    'Division by zero. Use `try_divide`.'
    >>> without_settings("Division by zero.", facts)
    """
    sentences = _SENTENCES.split(template)
    kept = [each for each in sentences if not _names_setting(each, parameters)]
    if len(kept) in (0, len(sentences)):
        return None
    return _PARAMETER.sub(lambda found: parameters.get(found[1], found[0]), " ".join(kept)).strip()


def is_of_query(java: Any) -> bool:
    """Whether the error is about the query or its values, and not about running it."""
    state = java.getSqlState() if _is_spark_throwable(java) else None
    return state is not None and str(state)[:2] in _OF_QUERY


def excerpt_of(java: Any) -> Excerpt | None:
    """The part of a query that a Spark exception is about."""
    if not _is_spark_throwable(java):
        return None
    for context in java.getQueryContext() or ():
        if str(context.contextType()) != "SQL":
            continue
        text = context.sqlText()
        if text.isDefined() and (found := Excerpt.of(str(text.get()), context.startIndex(), str(context.fragment()))):
            return found
    return None


def _names_setting(sentence: str, parameters: Mapping[str, str]) -> bool:
    values = (parameters.get(name, "") for name in _PARAMETER.findall(sentence))
    return _SETTING in sentence or any(value.strip('"').startswith(_SETTING) for value in values)


def _template(condition: str) -> str:
    helper = SparkContext._jvm.org.apache.spark.SparkThrowableHelper  # type: ignore[union-attr]
    return str(helper.errorReader().getMessageTemplate(condition))


def _is_spark_throwable(java: Any) -> bool:
    return bool(is_instance_of(SparkContext._gateway, java, "org.apache.spark.SparkThrowable"))
