"""Models that read their lines from the case: `replies` of the ops compact, generate and navigate, `responses`."""

from collections.abc import Sequence

from pi_lsp.base.json import Json, JsonObject
from pi_lsp.llm.contract import CompletionRequest
from pi_lsp.llm.retry import RetryAttemptStart, RetryEvent, RetryFinished, RetryScheduled
from tests.conformance.shapes import drop_none, to_json

_USAGE: JsonObject = {
    "input": 1,
    "output": 1,
    "cacheRead": 0,
    "cacheWrite": 0,
    "totalTokens": 2,
    "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
}


class Script:
    """Answers request n with reply n, the last reply again and again. It is a `Complete` of llm/contract.py."""

    def __init__(self, replies: Sequence[Json]) -> None:
        self._messages = [reply_message(reply) for reply in replies]
        self._requests: list[CompletionRequest] = []

    async def __call__(self, request: CompletionRequest) -> JsonObject:
        """The next reply, a whole assistant message."""
        self._requests.append(request)
        return self._messages[min(len(self._requests), len(self._messages)) - 1]

    @property
    def requests(self) -> list[JsonObject]:
        """What was sent, as the vectors show it."""
        return [_shown(request) for request in self._requests]


def reply_message(reply: Json) -> JsonObject:
    """A reply as a whole assistant message: its text, or a partial message (`text` stands for content)."""
    given: JsonObject = dict(reply) if isinstance(reply, dict) else {"text": reply}
    text = given.pop("text", "")
    return {
        "role": "assistant",
        "content": [{"type": "text", "text": text}],
        "api": "anthropic-messages",
        "provider": "anthropic",
        "model": "m",
        "usage": _USAGE,
        "stopReason": "stop",
        "timestamp": 0,
    } | given


def _shown(request: CompletionRequest) -> JsonObject:
    return {
        "messages": [{"role": "system", "text": request.system}, {"role": "user", "text": request.prompt}],
        "options": drop_none(
            {
                "cacheRetention": "none",  # `completer` asks so
                "reasoning": request.reasoning,
                "hasSessionId": bool(request.session_id),
            }
        ),
    }


class RetryScript:
    """Calls that answer in turn, the last answer again and again, and the log of what a retry loop did with them.

    `abort_after` is the attempt after whose scheduling the work is aborted. No time passes.
    """

    def __init__(self, responses: Sequence[JsonObject], abort_after: int | None) -> None:
        self._responses = responses
        self._abort_after = abort_after
        self._calls = 0
        self._scheduled = 0
        self.log: list[Json] = []

    async def call(self) -> JsonObject:
        self._calls += 1
        self.log.append(["call", self._calls])
        return self._responses[min(self._calls, len(self._responses)) - 1]

    async def pause(self, delay_ms: float) -> bool:
        return self._scheduled != self._abort_after

    def on_event(self, event: RetryEvent) -> None:
        match event:
            case RetryScheduled():
                self._scheduled = event.attempt
                self.log.append(["scheduled", to_json(event)])
            case RetryAttemptStart():
                self.log.append(["attempt_start"])
            case RetryFinished():
                self.log.append(["finished", to_json(event)])
