"""What is finished in pieces is what is finished as a whole."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_lsp.context import finisher
from pi_lsp.context.finish import finish
from pi_lsp.context.finisher import Finisher
from pi_lsp.context.model import Model
from tests.support.histories import HISTORIES, MODELS, PLAIN


def user(words: str = "go on") -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": words}]}


def answer(*calls: str, **fields: Any) -> dict[str, Any]:
    blocks = [{"type": "toolCall", "id": call, "name": "read", "arguments": {}} for call in calls]
    own = {"provider": "anthropic", "api": "anthropic-messages", "model": "m", "stopReason": "stop"}
    return {"role": "assistant", "content": [{"type": "text", "text": "yes"}, *blocks]} | own | fields


def result(call: str) -> dict[str, Any]:
    return {"role": "toolResult", "toolCallId": call, "toolName": "read", "content": [{"type": "text", "text": "x"}]}


def by_message(finished: Any) -> tuple[Any, Any]:
    """What was made, with the changes of each message in their order."""
    return finished.items, sorted(finished.changes, key=lambda change: change.index)


@given(st.lists(HISTORIES, min_size=2, max_size=4), st.sampled_from(MODELS))
@settings(max_examples=400)
def test_any_history_in_pieces(pieces: list[list[dict[str, Any]]], model: Model) -> None:
    kept, messages = Finisher(), list[dict[str, Any]]()
    for piece in pieces:
        messages = [*messages, *piece]
        assert by_message(kept(messages, model)) == by_message(finish(messages, model))
        assert by_message(kept(messages, model)) == by_message(finish(messages, model))


TURN = [user(), answer("a"), result("a"), answer()]


@pytest.mark.parametrize(
    "later",
    [
        [answer("b"), result("b")],
        [user(), answer("b", "c"), result("c")],
        [{"role": "bashExecution", "command": "ls", "output": "x"}, answer()],
        [answer("b", stopReason="error"), user()],
        [user(" ")],
        [user("half \ud800")],
    ],
)
def test_a_turn_that_stands_alone_is_prepared_alone(later: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Finisher()
    kept(TURN, PLAIN)
    whole = finish([*TURN, *later], PLAIN)
    prepared: list[int] = []
    real = finisher.prepare
    monkeypatch.setattr(
        finisher, "prepare", lambda messages, model: prepared.append(len(messages)) or real(messages, model)
    )
    assert by_message(kept([*TURN, *later], PLAIN)) == by_message(whole)
    assert prepared == [len(later)]


@pytest.mark.parametrize(
    "later",
    [
        [result("a")],
        [{"role": "system", "content": "", "sections": {"rules": "new"}}, user()],
        [answer("a"), result("a")],
        [answer("b", "b"), result("b")],
        [user(), result("a")],
        [answer("a/"), result("a/")],
        [{"role": "user", "content": [{"type": "image", "data": "x", "mimeType": "image/png"}]}],
    ],
)
def test_a_turn_that_does_not_is_prepared_with_the_others(later: list[Any]) -> None:
    kept, messages = Finisher(), [*TURN, answer("a_"), result("a_"), *later]
    kept(messages[: -len(later)], PLAIN)
    assert by_message(kept(messages, PLAIN)) == by_message(finish(messages, PLAIN))


def test_another_model_and_another_conversation_are_seen() -> None:
    kept = Finisher()
    for messages in (TURN, TURN[:2], [user("other"), *TURN[1:]], []):
        for model in MODELS:
            assert by_message(kept(messages, model)) == by_message(finish(messages, model))
