from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.base.json import JsonObject
from pi_lsp.compaction.cut import find_cut, history_start, should_compact, turn_start, valid_cut_points
from pi_lsp.context.estimate import PI_COUNTER
from pi_lsp.context.select import Selected, entry_messages, select
from pi_lsp.context.usage import estimate_projected
from pi_lsp.resources.settings import CompactionSettings
from pi_lsp.session.entries import Entry
from tests.unit.compaction.sessions import assistant, call, chain, compaction, edit, result, said, units, user

MODEL_CHANGE: JsonObject = {"type": "model_change", "provider": "p", "modelId": "m"}


def unedited(path: Sequence[Entry]) -> list[Selected]:
    """Entries as they are stored, no edit applied."""
    return [Selected(entry=entry, messages=tuple(entry_messages(entry))) for entry in path]


TURNS = chain(*[body for _ in range(3) for body in (user(units(10)), assistant(units(20)))])


@pytest.mark.parametrize(
    ("keep", "index", "turn"),
    [(1, 5, 4), (20, 5, 4), (21, 4, -1), (30, 4, -1), (31, 3, 2), (90, 0, -1), (91, 0, -1), (0, 5, 4)],
)
def test_the_cut_keeps_at_least_the_budget(keep: int, index: int, turn: int) -> None:
    cut = find_cut(unedited(TURNS), keep)
    assert (cut.first_kept_entry_index, cut.turn_start_index) == (index, turn)
    assert cut.is_split_turn == (turn >= 0)


def test_a_result_is_never_kept_without_its_call() -> None:
    path = chain(user("u"), assistant("", call("c", "read")), result("c", units(50)))
    assert find_cut(unedited(path), 10).first_kept_entry_index == 1


def test_without_a_candidate_nothing_is_cut() -> None:
    path = chain(result("a", units(9)), result("b", units(9)))
    assert find_cut(unedited(path), 5).first_kept_entry_index == 0
    assert find_cut(unedited([]), 5).first_kept_entry_index == 0


def test_entries_without_messages_go_with_what_follows() -> None:
    path = chain(user(units(9)), assistant(units(9)), MODEL_CHANGE, MODEL_CHANGE, user(units(9)))
    cut = find_cut(unedited(path), 9)
    assert cut.first_kept_entry_index == 2
    assert cut.turn_start_index == 0  # a model change begins no turn, as in Pi


def test_bounds_are_kept() -> None:
    entries = unedited(TURNS)
    assert find_cut(entries, 1000, start=2).first_kept_entry_index == 2
    assert find_cut(entries, 1, end=4).first_kept_entry_index == 3
    assert turn_start(entries, 5, start=5) == -1
    assert valid_cut_points(entries, 1, 3) == [1, 2]


def test_a_failed_attempt_that_edits_removed_lets_its_input_be_summarised() -> None:
    attempt = chain(user(units(500)), assistant("boom", stopReason="error"), edit("e1"))
    assert find_cut(select(attempt).entries, 100).first_kept_entry_index == 1
    assert find_cut(select(attempt).entries, 501).first_kept_entry_index == 0
    replaced = chain(edit("e0", {"content": units(400)}), after=attempt)
    assert find_cut(select(replaced).entries, 100).first_kept_entry_index == 0
    odd = chain({"type": "context_edit", "targetId": ["e0"], "replacement": {}}, after=attempt)
    assert find_cut(select(odd).entries, 100).first_kept_entry_index == 0
    twice = chain(compaction("S1", "e0"), compaction("S2", "e0"), after=attempt)
    assert find_cut(select(twice).entries, 100, start=1).first_kept_entry_index == 1


def test_history_begins_behind_a_summary() -> None:
    path = chain(compaction("S", "e1"), user("u"), after=TURNS[:2])
    assert history_start(select(path).entries) == 1
    assert history_start(select(chain(edit("e2"), after=path)).entries) == 0
    assert history_start(select(TURNS).entries) == 0
    assert history_start(select([]).entries) == 0


@pytest.mark.parametrize(("tokens", "expected"), [(149, False), (150, False), (151, True)])
def test_compaction_is_due_when_the_reserve_is_touched(tokens: int, expected: bool) -> None:
    assert should_compact(tokens, 200, CompactionSettings(reserve_tokens=50)) is expected
    assert not should_compact(tokens, 200, CompactionSettings(reserve_tokens=50, enabled=False))


def test_C6_usage_from_before_a_compaction_does_not_start_another() -> None:
    full = chain(user("u"), assistant("a", usage={"totalTokens": 190_000}), user("v"))
    settings = CompactionSettings()
    assert should_compact(estimate_projected(full, select(full)).tokens, 200_000, settings)
    compacted = chain(compaction("short", "e1"), after=full)
    assert not should_compact(estimate_projected(compacted, select(compacted)).tokens, 200_000, settings)


def test_C6_compaction_starts_without_any_usage() -> None:
    path = chain(user(units(190_000)), assistant("a"))
    assert should_compact(estimate_projected(path, select(path)).tokens, 200_000, CompactionSettings())


class Looked(list[Selected]):
    """Counts the entries that are looked at."""

    count = 0

    def __getitem__(self, index: Any) -> Any:
        self.count += 1
        return super().__getitem__(index)


def test_S16_a_long_session_is_cut_without_looking_at_what_is_left_behind() -> None:
    entries = Looked(unedited(chain(*[body for _ in range(2000) for body in (user(units(10)), assistant(units(10)))])))
    assert find_cut(entries, 1000).first_kept_entry_index == 3900
    assert entries.count < 250


_BODIES = st.sampled_from(
    [
        *(user("u"), user(units(7)), user(""), MODEL_CHANGE, compaction("S", "e2")),
        *(assistant(units(5)), assistant("", call("c", "read", path="p")), result("c", units(30))),
        said({"role": "system", "content": units(4)}),
        said({"role": "bashExecution", "command": "ls", "output": units(2)}),
    ]
)


def slow_cut(entries: Sequence[Selected], keep: int, start: int) -> int:
    """The rule of `find_cut` as its definition says it, without edits."""
    weights = [sum(map(PI_COUNTER.message, selected.messages)) for selected in entries]
    candidates = valid_cut_points(entries, start)
    if not candidates:
        return start
    full = [i for i in range(start, len(entries)) if weights[i] and sum(weights[i:]) >= keep]
    after = [i for i in candidates if i >= full[-1]] if full else candidates
    cut = after[0] if after else candidates[-1]
    while cut > start and not entries[cut - 1].messages and entries[cut - 1].entry.type != "compaction":
        cut -= 1
    return cut


@given(st.lists(_BODIES, max_size=25), st.integers(0, 120))
def test_the_walk_finds_what_the_rule_says(bodies: list[JsonObject], keep: int) -> None:
    path = chain(*bodies)
    for entries in (select(path).entries, unedited(path)):
        start = history_start(entries)
        cut = find_cut(entries, keep, start)
        assert cut.first_kept_entry_index == slow_cut(entries, keep, start)
        assert cut.turn_start_index in range(start, cut.first_kept_entry_index) or not cut.is_split_turn
