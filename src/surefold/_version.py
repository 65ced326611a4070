"""The version, read by the build, and that of the JSON which results write."""

from typing import Any

__version__ = "0.1.0"
SCHEMA_VERSION = 1


def heading(kind: str) -> dict[str, Any]:
    """How every result opens its plain values: what wrote them, in which form, of what kind."""
    return {"surefold": __version__, "schema_version": SCHEMA_VERSION, "kind": kind}
