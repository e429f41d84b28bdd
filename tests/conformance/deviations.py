"""Where our answer may differ from Pi's, as rules (deviations.toml): a condition, the places, and what stands there."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pi_lsp.base.json import as_object, as_str, objects
from pi_lsp.session.codec import is_header
from pi_lsp.session.index import parse_lines
from pi_lsp.session.migrate import VERSION, version_of
from tests.conformance.case import Vector, raw_bytes
from tests.conformance.compare import ABSENT, Difference
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


def link_to_above(vector: Vector) -> bool:
    """A symbolic link leads to a folder that it lies in."""
    links = {path: as_object(value).get("symlink") for path, value in as_object(vector.input.get("files")).items()}
    return any(
        isinstance(target, str) and f"$ROOT/{path.removeprefix('$ROOT/')}/".startswith(f"{target}/")
        for path, target in links.items()
    )


def half_a_pair_described(vector: Vector) -> bool:
    """Pi's description of a template ends in the middle of a surrogate pair."""
    templates = objects(as_object(vector.expected).get("templates"))
    return any(re.search("[\ud800-\udfff]", as_str(template.get("description"))) for template in templates)


PREDICATES: dict[str, Callable[[Vector], bool]] = {
    "half_a_pair_described": half_a_pair_described,
    "link_to_above": link_to_above,
    "bom_before_header": bom_before_header,
    "no_final_newline": no_final_newline,
    "old_session_file": old_session_file,
}


@dataclass(frozen=True, slots=True)
class Place:
    """A place that may differ; `ours` is what must stand there, if the rule says so."""

    path: re.Pattern[str]
    ours: Any = _ANY_VALUE

    def allows(self, difference: Difference) -> bool:
        if not self.path.fullmatch(difference.path):
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
        return vector.full_op == self.op and all(condition(vector) for condition in self.conditions)

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
        places=tuple(Place(_path_pattern(place["path"]), _ours(place)) for place in rule["differs"]),
        why=rule["why"],
        examples=tuple(rule.get("examples", ())),
    )


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
    return re.compile(re.escape(path).replace(r"\[\*\]", r"\[\d+\]"))


def _ours(place: dict[str, Any]) -> Any:
    if "ours" not in place:
        return _ANY_VALUE
    return ABSENT if place["ours"] == "$ABSENT" else place["ours"]
