"""Fixtures come from plugins, one per concern."""

import os

# Commands of tests compute in their own processes, unless a test is about compute processes.
os.environ["HEADWATER_COMPUTE_IDLE"] = "0"

pytest_plugins = [
    "tests.fix_seed",
    "tests.fix_db",
    "tests.fix_disk",
    "tests.fix_duck",
    "tests.fix_spark",
    "tests.fix_needs",
]
