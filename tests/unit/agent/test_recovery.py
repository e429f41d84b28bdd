"""What follows an answer."""

from typing import Any

import pytest

from pi_lsp.agent.recovery import Verdict, verdict
from pi_lsp.context.model import Model

MODEL = Model(id="m", context_window=1000, max_tokens=100)
CALL = {"type": "toolCall", "id": "t", "name": "read", "arguments": {}}


def failed(text: str) -> dict[str, Any]:
    return {"stopReason": "error", "errorMessage": text}


def billed(stop: str, tokens: int, output: int) -> dict[str, Any]:
    return {"stopReason": stop, "usage": {"input": tokens, "output": output}}


@pytest.mark.parametrize(
    ("answer", "first", "then"),
    [
        ({"stopReason": "stop"}, "done", "done"),
        ({"stopReason": "toolUse", "content": [CALL]}, "tools", "tools"),
        ({"stopReason": "stop", "content": [CALL]}, "tools", "tools"),
        ({"stopReason": "aborted", "content": [CALL]}, "aborted", "aborted"),
        (failed("overloaded"), "retry", "retry"),
        (failed("invalid x-api-key"), "failed", "failed"),
        # Its text matches what is worth retrying, too.
        (failed("server error: prompt is too long"), "compactAndRetry", "failed"),
        # An answer to more input than the window: it stands, and the next one needs room.
        (billed("stop", 1001, 5), "compact", "compact"),
        (billed("stop", 1000, 5), "done", "done"),
        # Nothing was said, since the input fills the window.
        (billed("length", 990, 0), "compactAndRetry", "failed"),
        # Cut before the limit that was asked for: the window was full.
        (billed("length", 5, 99), "compactAndRetry", "failed"),
        (billed("length", 5, 100), "done", "done"),
        # A call is answered first: what comes next would otherwise be refused.
        ({**billed("length", 5, 99), "content": [CALL]}, "tools", "tools"),
    ],
)
def test_what_follows_an_answer_and_one_after_a_compaction(answer: Any, first: Verdict, then: Verdict) -> None:
    message = {"role": "assistant", "content": [], **answer}
    assert verdict(message, MODEL, recovered=False) == first
    assert verdict(message, MODEL, recovered=True) == then
