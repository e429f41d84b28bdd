"""The rules of deviations.toml: they allow what they say, where they say, and are still needed."""

from typing import Any

import pytest

from tests.conformance.case import BUNDLED, Vector, load_vectors
from tests.conformance.compare import ABSENT, Difference
from tests.conformance.deviations import Deviation, load_deviations, not_allowed, read_condition, read_rule
from tests.conformance.deviations_resources import link_to_above
from tests.conformance.runner import NoAdapterError, run

RULE = {
    "op": "toy.load",
    "when": "input.torn == true",
    "differs": [{"path": "items[*].x"}, {"path": "changed", "ours": False}, {"path": "gone", "ours": "$ABSENT"}],
    "pi": "writes",
    "ours": "does not",
    "why": "reading writes nothing",
    "examples": ["torn"],
}
VECTOR = Vector("toy", "torn", {"op": "load", "torn": True}, {})


@pytest.mark.parametrize(
    ("rule", "example"),
    [pytest.param(rule, name, id=f"{rule.op}: {name}") for rule in load_deviations() for name in rule.examples],
)
def test_deviation_is_still_one(rule: Deviation, example: str) -> None:
    """A rule whose example no longer differs from Pi is to be deleted."""
    vector = next((one for one in load_vectors(BUNDLED) if one.full_op == rule.op and one.name == example), None)
    assert vector is not None, f"no such case: {rule.op}: {example}"
    assert rule.holds(vector), "its condition does not hold for its own example"
    try:
        outcome = run(vector)
    except NoAdapterError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    assert any(rule.allows(difference) for difference in outcome.found), "this example does not deviate any more"
    assert outcome.wrong == []


@pytest.mark.parametrize(
    ("path", "got", "allowed"),
    [
        ("items[0].x", 5, True),
        ("items[12].x", "any", True),
        ("items[0].y", 5, False),
        ("items.x", 5, False),
        ("changed", False, True),
        ("changed", 0, False),
        ("changed", True, False),
        ("gone", ABSENT, True),
        ("gone", None, False),
    ],
)
def test_only_its_places(path: str, got: Any, allowed: bool) -> None:
    found = [Difference(path, "pi", got)]
    assert not_allowed(VECTOR, found, [read_rule(RULE)]) == ([] if allowed else found)


def test_only_where_its_condition_holds() -> None:
    found = [Difference("changed", True, False)]
    for other in ({"op": "load"}, {"op": "load", "torn": 1}, {"op": "other", "torn": True}):
        assert not_allowed(Vector("toy", "x", other, {}), found, [read_rule(RULE)]) == found


def test_a_rule_may_be_about_several_ops_and_all_below_a_place() -> None:
    rule = read_rule({**RULE, "op": "toy.*", "differs": [{"path": "items**"}]})
    found = [Difference(path, "pi", 1) for path in ("items", "items[0].x", "item", "other.items")]
    assert not_allowed(VECTOR, found, [rule]) == found[2:]
    assert not_allowed(Vector("other", "torn", VECTOR.input, {}), found, [rule]) == found


@pytest.mark.parametrize("key", RULE)
def test_a_rule_says_everything(key: str) -> None:
    with pytest.raises(ValueError, match=f"{key} is missing"):
        read_rule({name: value for name, value in RULE.items() if name != key})


@pytest.mark.parametrize("when", ["the name is odd", "input.a = 1", "name == 1"])
def test_a_condition_must_be_checkable(when: str) -> None:
    with pytest.raises(ValueError, match="no predicate"):
        read_condition(when)


def test_conditions() -> None:
    vector = Vector("toy", "x", {"op": "o", "a": [{"b": 1}, {"b": None}]}, {"c": []})
    held = [
        "input.a",
        "input.a[*].b == null",
        "input.a[0].b == 1",
        'input.op == "o"',
        "expected.c == []",
    ]
    failed = [
        "input.c",
        "input.a[*].b == 2",
        "input.a[1].b == 1",
        "input.a[2]",
        "expected == 1",
        "input.a[0].b == true",
    ]
    assert [when for when in held + failed if read_condition(when)(vector)] == held


@pytest.mark.parametrize(
    ("kind", "pi", "allowed"), [("boolean", 1, True), ("boolean", True, False), ("whole", 1.5, True)]
)
def test_a_place_may_ask_what_pi_says_there(kind: str, pi: Any, allowed: bool) -> None:
    rule = read_rule({**RULE, "differs": [{"path": "x", "pi_not": kind, "ours": 3}]})
    assert rule.allows(Difference("x", pi, 3)) == allowed


def test_kinds_are_known() -> None:
    with pytest.raises(ValueError, match="no kind of values: boolen"):
        read_rule({**RULE, "differs": [{"path": "x", "pi_not": "boolen"}]})


@pytest.mark.parametrize(
    ("link", "target", "above"),
    [("a/l", "$ROOT/a", True), ("a/l", "..", True), ("a/b/l", "$ROOT", True), ("a/l", ".", True), ("l", "a", False)],
)
def test_link_to_above(link: str, target: str, above: bool) -> None:
    assert link_to_above(Vector("skills", "x", {"op": "load", "files": {link: {"symlink": target}}}, {})) == above
