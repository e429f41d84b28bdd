"""Which cases wait for a part of the product that is not written yet (later.toml)."""

import tomllib
from functools import cache
from pathlib import Path

from tests.conformance.case import Vector

_TABLE = Path(__file__).parent / "later.toml"


def why_later(vector: Vector) -> str | None:
    """Why the case is not run, or None where it is."""
    reasons = _reasons()
    return reasons.get(vector.full_op) or reasons.get(vector.group)


@cache
def _reasons() -> dict[str, str]:
    """By `group` or `group.op`."""
    rules = tomllib.loads(_TABLE.read_text(encoding="utf-8"))["later"]
    return {".".join(filter(None, (rule["group"], rule.get("op")))): rule["why"] for rule in rules}
