"""Headwater keeps tables fresh: dynamic tables on a DuckLake, refreshed by Spark."""

from typing import TYPE_CHECKING, Any

from headwater.core.version import VERSION as __version__

if TYPE_CHECKING:
    from headwater.service.connect import connect

__all__ = ["__version__", "connect"]


def __getattr__(name: str) -> Any:
    # Executors import modules of this package in every Python worker; they must not pay for the catalog's libraries.
    if name == "connect":
        from headwater.service.connect import connect

        return connect
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
