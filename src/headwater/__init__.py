"""Headwater keeps tables fresh: dynamic tables on a DuckLake, refreshed by Spark."""

from headwater.core.version import VERSION as __version__

__all__ = ["__version__"]
