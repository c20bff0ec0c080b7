"""Fixtures come from plugins, one per concern."""

pytest_plugins = ["tests.fix_seed", "tests.fix_db", "tests.fix_duck", "tests.fix_spark", "tests.fix_needs"]
