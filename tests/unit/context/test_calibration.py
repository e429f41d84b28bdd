from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.base.json import JsonObject
from pi_lsp.context import calibration
from pi_lsp.context.calibration import (
    CALL_TOKENS,
    RESULT_TOKENS,
    CalibratedCounter,
    Calibration,
    Increase,
    Learner,
    billed_increases,
    learn,
)
from pi_lsp.context.estimate import PI_COUNTER
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message
from tests.bench import token_error

MODEL = ("anthropic", "claude-x")
FIXTURES = sorted(token_error.FIXTURES.glob("*.jsonl"))


def entries(*bodies: JsonObject) -> list[Entry]:
    """A message becomes an entry of its own; anything with a type is one."""
    ids = count()
    return [
        Entry.of(body if "type" in body else {"type": "message", "id": f"{next(ids)}", "message": body})
        for body in bodies
    ]


def user(units: int) -> Message:
    return {"role": "user", "content": "x" * units}


def answer(prompt: int, model: str = MODEL[1], **fields: str) -> Message:
    usage: JsonObject = {"input": prompt - 1, "cacheRead": 1, "output": 500}
    return {"role": "assistant", "provider": MODEL[0], "model": model, "content": [], "usage": usage, **fields}


def billed(*bodies: JsonObject) -> list[tuple[int, int]]:
    """Each increase with the number of its messages."""
    return [(increase.billed, len(increase.messages)) for increase in billed_increases(entries(*bodies))]


def test_an_increase_is_what_a_prompt_has_more_than_the_one_before() -> None:
    assert billed(user(4), answer(100), user(800), user(4), answer(400), answer(450)) == [(300, 3), (50, 1)]


@pytest.mark.parametrize("kind", ["compaction", "context_edit", "branch_summary", "custom_message"])
def test_no_increase_across_an_entry_that_changes_the_prompt(kind: str) -> None:
    assert billed(answer(100), {"type": kind}, user(4), answer(400), answer(450)) == [(50, 1)]
    assert billed(answer(100), {"type": "label"}, answer(400)) == [(300, 1)]


def test_no_increase_across_a_change_of_model_or_of_the_system_prompt() -> None:
    assert billed(answer(100), answer(400, model="other"), answer(500)) == []
    assert billed(answer(100), {"role": "system", "content": "new"}, answer(400)) == []


def test_failed_attempts_and_private_commands_are_no_part_of_it() -> None:
    hidden: Message = {"role": "bashExecution", "command": "ls", "output": "x" * 900, "excludeFromContext": True}
    failed = answer(9999, stopReason="error")
    aborted = answer(50, stopReason="aborted")
    assert billed(answer(100), failed, hidden, aborted, user(4), answer(400)) == [(300, 2)]


def test_an_answer_without_usage_lies_in_between() -> None:
    silent: Message = {"role": "assistant", "content": [{"type": "text", "text": "x"}]}
    assert billed(answer(100), silent, answer(400)) == [(300, 2)]


def learned(*figures: tuple[int, int]) -> Calibration:
    """From pairs of billed and counted tokens."""
    return learn([Increase(MODEL, tokens, (user(4 * texts),)) for tokens, texts in figures], PI_COUNTER)


def test_before_anything_is_learned_a_factor_is_assumed() -> None:
    assert learned() == Calibration(factor=1.15, answers=0)


def test_the_factor_is_learned_and_follows_the_latest_answers() -> None:
    assert learned(*[(1500, 1000)] * 10) == Calibration(factor=1.5, answers=10)
    assert learned(*[(1500, 1000)] * 200, *[(2000, 1000)] * 60).factor == 2.0


def test_C6_wrong_reports_do_not_move_the_factor() -> None:
    right = [(1500, 1000)] * 12
    assert learned(*right, *[(3000, 1000)] * 4).factor == 1.5, "doubled usage is outvoted"
    wrong = [(10**18, 1000), (10**400, 1), (-5000, 1000), (0, 1000), (300, 0), (300, 10**6)]
    assert learned(*right, *wrong) == learned(*right), "impossible usage is not heard"


def test_wrapping_counts_once_for_a_call_and_once_for_a_result() -> None:
    counter = CalibratedCounter(PI_COUNTER, Calibration(factor=2.0))
    call: JsonObject = {"type": "toolCall", "name": "abcd", "arguments": {}}
    assert counter.message({"role": "assistant", "content": [call, call]}) == 2 * (3 + 2 * CALL_TOKENS)
    assert counter.message({"role": "toolResult", "content": "abcd"}) == 2 * (1 + RESULT_TOKENS)
    assert counter.message({"role": "alien"}) == 0
    assert counter.text("abcde") == 4


def calibrated(path: list[Entry], model: tuple[str, str]) -> Calibration:
    learner = Learner(PI_COUNTER)
    learner.read(path)
    return learner.calibration(model)


def test_it_learns_from_the_end_of_a_path_and_from_one_model() -> None:
    bodies: list[Message] = [answer(100)]
    for step in range(1, 9):
        bodies += [user(4000), answer(100 + step * 1700)]
    bodies += [answer(50, model="other"), user(4000), answer(4000, model="other")]
    assert calibrated(entries(*bodies), MODEL) == Calibration(factor=1.7, answers=8)
    assert calibrated(entries(*bodies), ("anthropic", "unknown")).answers == 0


_TAUGHT = [user(4000), *(answer(billed) for billed in range(1000, 7000, 1000))]
"""Most pairs of answers among these teach something."""
_STEPS = st.sampled_from(
    [
        *_TAUGHT * 3,
        user(800),
        {"type": "compaction"},
        {"role": "system", "content": "new"},
        {"role": "assistant", "content": []},
        answer(9000, stopReason="error"),
        answer(2000, "other"),
        answer(4000, "other"),
    ]
)


@given(st.lists(st.lists(_STEPS, min_size=1, max_size=6), min_size=2, max_size=8), st.integers(2, 6))
def test_what_is_learned_in_pieces_is_what_is_learned_at_once(pieces: list[list[JsonObject]], recent: int) -> None:
    learner, path = Learner(PI_COUNTER), list[Entry]()
    for piece in pieces:
        new = entries(*piece)
        path += new
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(calibration, "RECENT_ENTRIES", recent)
            learner.read(new)
        for model in (MODEL, (MODEL[0], "other")):
            increases = (one for one in billed_increases(path[-recent:]) if one.model == model)
            assert learner.calibration(model) == learn(increases, PI_COUNTER)


@given(st.lists(st.tuples(st.integers(), st.integers(0, 2000)), max_size=90))
def test_the_factor_stays_within_reason(figures: list[tuple[int, int]]) -> None:
    found = learned(*figures)
    assert 0.25 <= found.factor <= 4
    assert 0 <= found.answers <= 64


@pytest.mark.skipif(not FIXTURES, reason="no ../shared")
def test_the_error_on_recorded_sessions() -> None:
    pi, of_bytes, of_vocabulary = token_error.measure(FIXTURES)
    assert of_vocabulary.holds, of_vocabulary
    assert of_bytes.holds, of_bytes
    assert of_vocabulary.median < pi.median / 3
    assert of_vocabulary.increases > 500


def test_the_measurement_measures(tmp_path: Path) -> None:
    import json

    lines = [answer(1000), user(4000), answer(2000), user(4000), answer(2100)]
    file = tmp_path / "s.jsonl"
    file.write_text("".join(json.dumps({"type": "message", "message": line}) + "\n" for line in lines))
    pi = token_error.measure([file])[0]
    assert (pi.increases, pi.median) == (1, 0.0)
