"""Headwater keeps tables fresh: dynamic tables on a DuckLake, refreshed by Spark."""

__version__ = "0.1.0"
