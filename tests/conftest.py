"""Fixtures come from plugins, one per concern."""

from importlib.util import find_spec

pytest_plugins = [name for name in ("tests.fix_db", "tests.fix_duck", "tests.fix_spark") if find_spec(name)]
