"""Upgrade the registry of a lake to this release, with a copy of an embedded catalog."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.core.errors import HeadwaterError, StoreDenied
from headwater.lake.site import Site
from headwater.registry import install


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The revisions that ran, or would run, and the path of the catalog's copy."""

    revisions: tuple[str, ...]
    backup: str | None = None


def upgrade(site: Site, *, dry_run: bool = False) -> Upgrade:
    """Run the missing revisions in one transaction; PostgreSQL catalogs are not copied."""
    with site.reader() as reader:
        pending = install.pending(reader.connection)
    if dry_run or not pending:
        return Upgrade(pending)
    backup = _back_up(site)
    return Upgrade(install.install(site.database), backup)


def _back_up(site: Site) -> str | None:
    path = site.database.url.database
    if site.database.kind != "sqlite" or path is None:
        return None
    copy = f"{path}.{site.clock.now():%Y%m%dT%H%M%S}.backup"
    try:
        site.database.copy_to(copy)
    except HeadwaterError as error:
        raise StoreDenied(
            f'cannot copy the catalog to "{copy}"',
            detail=error.detail,
            hint="Free some space, and make the folder writable.",
        ) from error
    return copy
