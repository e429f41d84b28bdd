"""A provider that asks nobody: for the demonstration without a key, and for tests.

It streams as a real one does, so everything around it does what it would do with a model.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from typing import TypeAlias

import msgspec

from pi_lsp.base.json import JsonObject, encode
from pi_lsp.base.text import one_line
from pi_lsp.context.estimate import PI_COUNTER
from pi_lsp.context.model import Model
from pi_lsp.llm.answer import Answer, Delta, StopReason
from pi_lsp.llm.contract import ChatRequest, Stream
from pi_lsp.llm.failure import Failure
from pi_lsp.session.messages import role_of, text_of

SCRIPTED_MODEL = Model(id="scripted", provider="scripted", api="scripted", name="Scripted: no model is asked")

_PIECE = 24
"""Characters of a delta."""


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call that the script makes."""

    id: str
    name: str
    arguments: JsonObject = {}


class ScriptedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What is answered: thinking, then text, then calls. With an `error` it fails after them."""

    text: str = ""
    thinking: str = ""
    calls: Sequence[ToolCall] = ()
    stop_reason: StopReason | None = None
    """By default `toolUse` where there are calls, else `stop`."""
    error: str | None = None
    failure: Failure = Failure(kind="status")
    pause_s: float = 0
    """The pause before each delta."""


Script: TypeAlias = Callable[[ChatRequest], ScriptedAnswer]


class ScriptedProvider:
    """Answers by a script. `requests` are those it was asked, in order."""

    def __init__(self, script: Script | Sequence[ScriptedAnswer], *, model: Model | None = None) -> None:
        """A script.

        Args:
            script: a function of the request; or the answers, of which the last repeats.
            model: whose answers they are; by default those of the model that is asked.
        """
        self._script = script if callable(script) else _in_turn(script)
        self._model = model
        self.requests: list[ChatRequest] = []

    def open(self, request: ChatRequest) -> Stream:
        """Answer."""
        answer = Answer(self._model or request.model)
        return Stream(answer, self._play(request, answer))

    async def aclose(self) -> None:
        """There is nothing to close."""

    async def _play(self, request: ChatRequest, answer: Answer) -> AsyncGenerator[Delta, None]:
        self.requests.append(request)
        scripted = self._script(request)
        answer.usage.new = sum(map(PI_COUNTER.message, request.messages))
        for delta in _deltas(scripted, answer):
            await asyncio.sleep(scripted.pause_s)
            answer.usage.output += PI_COUNTER.text(delta.delta)
            yield delta
        if scripted.error is not None:
            answer.fail(scripted.error, scripted.failure)
        else:
            answer.end(scripted.stop_reason or ("toolUse" if scripted.calls else "stop"))


def demo_provider() -> ScriptedProvider:
    """What answers where there is no key. It says that it is no model, and what a model would have been sent."""
    return ScriptedProvider(_demo, model=SCRIPTED_MODEL)


def _in_turn(answers: Sequence[ScriptedAnswer]) -> Script:
    left = list(answers)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def _deltas(scripted: ScriptedAnswer, answer: Answer) -> Iterator[Delta]:
    if scripted.thinking:
        part = answer.open("thinking", {"type": "thinking"})
        yield from map(part.add, _pieces(scripted.thinking))
        part.sign("scripted")
        part.whole = True
    if scripted.text:
        yield from map(answer.open("text", {"type": "text"}).add, _pieces(scripted.text))
    for call in scripted.calls:
        part = answer.open("toolArguments", {"type": "toolCall", "id": call.id, "name": call.name, "arguments": {}})
        yield from map(part.add, _pieces(encode(call.arguments)))
        part.whole = True


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))


def _demo(request: ChatRequest) -> ScriptedAnswer:
    asked = next((text_of(message) for message in reversed(request.messages) if role_of(message) == "user"), "")
    text = _summary(asked) if _is_summary_request(request) else _reply(request, asked)
    return ScriptedAnswer(text=text, pause_s=0.01)


def _is_summary_request(request: ChatRequest) -> bool:
    """A request that stands for itself, as only the summariser's do."""
    return not request.cache


def _reply(request: ChatRequest, asked: str) -> str:
    prompt = [message for message in request.messages if role_of(message) == "system"]
    others = len(request.messages) - len(prompt)
    tokens = sum(map(PI_COUNTER.message, request.messages))
    return (
        "This is the scripted answer of pi-lsp: no model was asked and nothing left this "
        f"machine. You said: “{one_line(asked)}”.\n\n"
        f"A model would have been sent {others} message{'s' if others != 1 else ''} behind a system prompt of about "
        f"{sum(map(PI_COUNTER.message, prompt))} tokens, about {tokens} tokens in all."
    )


def _summary(asked: str) -> str:
    lines = asked.splitlines()
    said = [line.removeprefix("[User]: ") for line in lines if line.startswith("[User]: ")]
    goal = one_line(said[0]) if said else "not stated"
    last = f"\n\n## Last said\n{one_line(said[-1])}" if len(said) > 1 else ""
    return (
        f"## Goal\n{goal}{last}\n\n## Note\nThis summary is scripted: no model was asked. It stands for a "
        f"conversation of {len(said)} user message{'s' if len(said) != 1 else ''} and {len(asked)} characters."
    )
