"""Conversations to compact and to leave, and models that answer by a script."""

from collections.abc import Sequence
from typing import Any

from pi_lsp.agent.speaker import FindSpeaker, Nobody, Speaker
from pi_lsp.agent.window import Window
from pi_lsp.base.json import JsonObject
from pi_lsp.context.model import Model
from pi_lsp.llm.scripted import Script, ScriptedAnswer, ScriptedProvider
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import text_of
from pi_lsp.session.store import Session
from tests.support.windows import AT_ONCE, Place, answered, said

SONNET = Model(id="claude-sonnet-4-5", name="Sonnet", context_window=200_000, max_tokens=64_000, reasoning=True)
KEEP_LITTLE: JsonObject = {**AT_ONCE, "compaction": {"keepRecentTokens": 50, "reserveTokens": 196_000}}
"""Settings with which compaction begins beyond 4,000 tokens and keeps the last turn."""


def text(answer: str) -> ScriptedAnswer:
    return ScriptedAnswer(text=answer)


def speaker(script: Script | Sequence[ScriptedAnswer], model: Model = SONNET, level: str = "high") -> Speaker:
    return Speaker(model=model, level=level, provider=ScriptedProvider(script))


def finding(speaker: Speaker | Nobody) -> FindSpeaker:
    async def find() -> Speaker | Nobody:
        return speaker

    return find


def provider_of(speaker: Speaker) -> ScriptedProvider:
    assert isinstance(speaker.provider, ScriptedProvider)
    return speaker.provider


def long_talk(turns: int = 6, tokens: int = 300) -> list[dict[str, Any]]:
    """Entries u0 a0 u1 a1 ... of so many tokens a turn."""
    return [
        entry
        for n in range(turns)
        for entry in (said(f"u{n}", f"request {n} " + "word " * tokens), answered(f"a{n}", f"answer {n}"))
    ]


def recorded(window: Window) -> list[Any]:
    """The events of a window from here on."""
    events: list[Any] = []
    window.emit = events.append
    return events


def named(events: Sequence[Any], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


async def leaf(window: Window) -> str | None:
    return await window.in_session(lambda conversation: conversation.leaf_id)


async def path(window: Window) -> list[Entry]:
    return await window.in_session(lambda conversation: conversation.path(conversation.leaf_id))


def reopened(place: Place) -> Session:
    return Session.open(str(place.session), str(place.workspace))


def prompt_of(speaker: Speaker, request: int = -1) -> str:
    """The text of the user message of a request for a summary."""
    return text_of(provider_of(speaker).requests[request].messages[-1])
