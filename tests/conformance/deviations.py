"""Where our answer may differ from Pi's, as rules (deviations.toml): a condition, the places, and what stands there."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from pi_lsp.resources.settings_read import is_number, is_whole
from pi_lsp.session.codec import is_header
from pi_lsp.session.index import parse_lines
from pi_lsp.session.migrate import VERSION, version_of
from tests.conformance.case import Vector, raw_bytes
from tests.conformance.compare import ABSENT, Difference
from tests.conformance.deviations_resources import RESOURCE_PREDICATES
from tests.conformance.deviations_session import SESSION_PREDICATES
from tests.conformance.texts import resolve

_TABLE = Path(__file__).parent / "deviations.toml"
_CONDITION = re.compile(r"(input|expected)((?:\.\w+|\[\d+\]|\[\*\])*)(?: == (.+))?")
_STEP = re.compile(r"\.(\w+)|\[(\d+|\*)\]")
_ANY_VALUE = object()


def bom_before_header(vector: Vector) -> bool:
    """The session file begins with a byte order mark."""
    return raw_bytes(resolve(vector.input.get("raw", ""))).startswith(b"\xef\xbb\xbf")


def no_final_newline(vector: Vector) -> bool:
    """The session file does not end in a newline."""
    return not raw_bytes(resolve(vector.input.get("raw", "\n"))).endswith(b"\n")


def old_session_file(vector: Vector) -> bool:
    """The session file has a header of version 1 or 2."""
    values = parse_lines(raw_bytes(resolve(vector.input.get("raw", ""))))
    header = next((value for value in values if is_header(value)), None)
    return header is not None and version_of(header) < VERSION


PREDICATES: dict[str, Callable[[Vector], bool]] = {
    "bom_before_header": bom_before_header,
    "no_final_newline": no_final_newline,
    "old_session_file": old_session_file,
    **RESOURCE_PREDICATES,
    **SESSION_PREDICATES,
}


_KINDS: dict[str, Callable[[Any], bool]] = {
    "boolean": lambda value: isinstance(value, bool),
    "number": is_number,
    "whole": is_whole,
    "text": lambda value: isinstance(value, str),
    "mode": lambda value: value in ("one-at-a-time", "all"),
}


@dataclass(frozen=True, slots=True)
class Place:
    """A place that may differ.

    If the rule says so, `ours` is what must stand there, and Pi's value there is not of the kind `pi_not`.
    """

    path: re.Pattern[str]
    ours: Any = _ANY_VALUE
    pi_not: str = ""

    def allows(self, difference: Difference) -> bool:
        if not self.path.fullmatch(difference.path):
            return False
        if self.pi_not and _KINDS[self.pi_not](difference.expected):
            return False
        return self.ours is _ANY_VALUE or (type(self.ours) is type(difference.got) and self.ours == difference.got)


@dataclass(frozen=True, slots=True)
class Deviation:
    """One rule of the table."""

    op: str
    conditions: tuple[Callable[[Vector], bool], ...]
    places: tuple[Place, ...]
    why: str
    examples: tuple[str, ...]

    def holds(self, vector: Vector) -> bool:
        """Whether the rule is about this case."""
        return fnmatchcase(vector.full_op, self.op) and all(condition(vector) for condition in self.conditions)

    def allows(self, difference: Difference) -> bool:
        return any(place.allows(difference) for place in self.places)


def not_allowed(vector: Vector, found: Sequence[Difference], rules: Sequence[Deviation]) -> list[Difference]:
    """The differences that no rule about this case allows."""
    holding = [rule for rule in rules if rule.holds(vector)] if found else []
    return [difference for difference in found if not any(rule.allows(difference) for rule in holding)]


@cache
def load_deviations() -> tuple[Deviation, ...]:
    """The rules of deviations.toml. Raises ValueError for a rule that cannot be checked."""
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return tuple(read_rule(rule) for rule in table.get("deviation", []))


def read_rule(rule: dict[str, Any]) -> Deviation:
    """One rule. Raises ValueError where it has no checkable condition, no place, no reason or no example."""
    for key in ("op", "when", "differs", "pi", "ours", "why", "examples"):
        if not rule.get(key) and not (key == "examples" and rule.get("unseen")):
            raise ValueError(f"deviation of {rule.get('op')}: {key} is missing")
    when = rule["when"]
    return Deviation(
        op=rule["op"],
        conditions=tuple(read_condition(text) for text in ([when] if isinstance(when, str) else when)),
        places=tuple(read_place(place) for place in rule["differs"]),
        why=rule["why"],
        examples=tuple(rule.get("examples", ())),
    )


def read_place(place: dict[str, Any]) -> Place:
    """One place of a rule. Raises ValueError for a kind that is not known."""
    kind = place.get("pi_not", "")
    if kind and kind not in _KINDS:
        raise ValueError(f"no kind of values: {kind}")
    return Place(_path_pattern(place["path"]), _ours(place), kind)


def read_condition(text: str) -> Callable[[Vector], bool]:
    """A condition on a case: the name of a predicate, or a path into input or expected, maybe with a value."""
    if text in PREDICATES:
        return PREDICATES[text]
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise ValueError(f"no predicate and no path: {text}")
    side, path, value = match.groups()
    steps = [name or index for name, index in _STEP.findall(path)]
    wanted = json.loads(value) if value is not None else _ANY_VALUE

    def holds(vector: Vector) -> bool:
        found = _values_at(vector.input if side == "input" else vector.expected, steps)
        return any(wanted is _ANY_VALUE or (type(wanted) is type(one) and wanted == one) for one in found)

    return holds


def _values_at(value: Any, steps: Sequence[str]) -> Iterator[Any]:
    if not steps:
        yield value
        return
    first, rest = steps[0], steps[1:]
    match value:
        case dict() if first in value:
            yield from _values_at(value[first], rest)
        case list() if first == "*":
            for item in value:
                yield from _values_at(item, rest)
        case list() if first.isdigit() and int(first) < len(value):
            yield from _values_at(value[int(first)], rest)
        case _:
            return


def _path_pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.escape(path).replace(r"\*\*", ".*").replace(r"\[\*\]", r"\[\d+\]"))


def _ours(place: dict[str, Any]) -> Any:
    if "ours" not in place:
        return _ANY_VALUE
    return ABSENT if place["ours"] == "$ABSENT" else place["ours"]
