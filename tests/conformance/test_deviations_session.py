"""The conditions about sessions hold for what they name, and for nothing that is as usual."""

from typing import Any

import pytest

from tests.conformance.case import BUNDLED, Vector, load_vectors
from tests.conformance.deviations_session import SESSION_PREDICATES

HEADER = {"type": "session", "version": 3, "id": "s", "cwd": "/w"}
ENTRY = {"type": "message", "id": "a", "parentId": None, "timestamp": "2025-01-01T00:00:00.000Z"}
FAILED = {"role": "assistant", "stopReason": "error"}
SYSTEM = {"role": "system"}
WHOLE = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 3}


def edit(replacement: Any) -> dict[str, Any]:
    return {"entries": [{"type": "context_edit", "replacement": replacement}]}


@pytest.mark.parametrize(
    ("name", "odd", "usual"),
    [
        ("arguments_that_are_no_object", {"arguments": ["x"]}, {"arguments": {"x": "y"}}),
        ("date_of_another_form", {"timestamp": "Jan 1, 2025"}, ENTRY),
        ("edit_without_content", edit({}), edit(None)),
        ("edit_without_content", edit({"content": 5}), edit({"content": []})),
        ("edit_without_content", {"raw": [HEADER, {"type": "context_edit"}]}, {"raw": [HEADER, ENTRY]}),
        ("failed_answers_lead", {"messages": [FAILED, SYSTEM]}, {"messages": [SYSTEM, FAILED]}),
        (
            "failed_answers_lead",
            {"messages": [FAILED, FAILED, SYSTEM]},
            {"messages": [FAILED, {"role": "user"}, SYSTEM]},
        ),
        ("fraction_of_a_millisecond", {"policy": {"baseDelayMs": 0.5}}, {"policy": {"baseDelayMs": 1.0}}),
        ("line_without_entry", {"raw": [HEADER, "[1]"]}, {"raw": [HEADER, ENTRY, "{torn"]}),
        ("line_without_entry", {"raw": [HEADER, {"type": "a"}]}, {"raw": [{**HEADER, "version": 1}, {"type": "a"}]}),
        ("no_whole_folder_in_header", {"raw": [{**HEADER, "cwd": "w"}]}, {"raw": [HEADER]}),
        ("no_whole_folder_in_header", {"raw": [{**HEADER, "cwd": "/w/../v"}]}, {}),
        ("path_that_is_no_text", {"details": {"readFiles": ["a", None]}}, {"details": {"readFiles": ["a"]}}),
        ("usage_that_does_not_add_up", {"usage": {"input": 1, "totalTokens": 1}}, {"usage": WHOLE}),
        (
            "usage_that_does_not_add_up",
            {"usage": {**WHOLE, "totalTokens": 0.5}},
            {"usage": {**WHOLE, "totalTokens": 0}},
        ),
    ],
)
def test_what_is_odd(name: str, odd: dict[str, Any], usual: dict[str, Any]) -> None:
    holds = SESSION_PREDICATES[name]
    assert holds(Vector("g", "odd", odd, None))
    assert not holds(Vector("g", "usual", usual, None))


def test_undefined_is_pis_word_only_where_nobody_said_it() -> None:
    holds = SESSION_PREDICATES["prints_undefined"]
    assert holds(Vector("g", "n", {"message": {}}, ["Ran `undefined`"]))
    assert not holds(Vector("g", "n", {"message": {"command": "undefined"}}, ["Ran `undefined`"]))


def test_usual_cases_do_not_meet_these_conditions() -> None:
    """They are for odd inputs: a condition that many usual cases meet would hide what goes wrong in them."""
    met = [vector.id for vector in load_vectors(BUNDLED) for holds in SESSION_PREDICATES.values() if holds(vector)]
    assert len(met) < 12
