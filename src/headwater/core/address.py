"""HTTP addresses."""

from __future__ import annotations

from urllib.parse import urlsplit


def is_address(url: str) -> bool:
    """Whether the text is an HTTP or HTTPS URL without a user or a password.

    >>> [is_address(url) for url in ("https://host/x?y", "http://[::1]:9/", "ftp://host/x", "https://me:pw@host/", "x")]
    [True, True, False, False, False]
    """
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and "@" not in parts.netloc
        )
    except ValueError:
        return False
