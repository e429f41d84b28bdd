"""The pause before a summary is asked for again: what the server asks for, as long as the user's settings allow."""

from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent.events import RetryScheduled
from pi_lsp.agent.summarizing import Asking, get_summary
from pi_lsp.api.compaction import CompactParams
from pi_lsp.api.doing import compact, switch
from pi_lsp.api.switching import SwitchParams
from pi_lsp.base.json import JsonObject
from pi_lsp.compaction.plan import Preparation, prepare
from pi_lsp.context.estimate import PI_COUNTER
from pi_lsp.llm.failure import Failure
from pi_lsp.llm.retry import RetryPolicy
from pi_lsp.llm.scripted import ScriptedAnswer
from pi_lsp.resources.settings import CompactionSettings
from tests.support.api_server_replies import Reply
from tests.support.chats import talking
from tests.unit.agent.talk import KEEP_LITTLE, long_talk, named, speaker, text
from tests.unit.compaction.sessions import assistant, chain, units, user


def preparation() -> Preparation:
    prepared = prepare(
        chain(user("old " + units(400)), assistant("fine"), user(units(9))), CompactionSettings(keep_recent_tokens=9)
    )
    assert prepared is not None
    return prepared


async def scheduled(answers: list[ScriptedAnswer], longest_pause_ms: float) -> list[float]:
    events: list[Any] = []
    asking = Asking(
        speaker=speaker(answers),
        operation="compaction",
        policy=RetryPolicy(max_attempts=3, base_delay_ms=0),
        longest_pause_ms=longest_pause_ms,
        counter=PI_COUNTER,
        emit=events.append,
    )
    assert (await get_summary(preparation(), asking)).summary.text == "WHOLE"
    return [event.delay_ms for event in named(events, RetryScheduled)]


def busy(retry_after_ms: float) -> ScriptedAnswer:
    return ScriptedAnswer(error="overloaded", failure=Failure(kind="status", retry_after_ms=retry_after_ms))


async def test_what_one_answer_asks_for_is_not_waited_for_again() -> None:
    assert await scheduled([busy(7), text(" "), text("WHOLE")], 60_000) == [7, 0]


async def test_no_pause_is_longer_than_the_settings_allow() -> None:
    assert await scheduled([busy(86_400_000), text("WHOLE")], 5) == [5]


@pytest.mark.parametrize("work", ["compact", "switch"])
async def test_the_users_limit_holds_for_every_summary(tmp_path: Path, work: str) -> None:
    settings: JsonObject = {**KEEP_LITTLE, "retry": {"baseDelayMs": 0, "provider": {"maxRetryDelayMs": 20}}}
    async with talking(tmp_path, entries=long_talk(), settings=settings) as talk:
        talk.server.replies = [Reply(status=529, headers={"retry-after": "86400"}), Reply(text="## Goal\nGo on.")]
        if work == "compact":
            assert (await compact(talk.window, CompactParams())).summarizer == "model"
        else:
            done = await switch(talk.window, SwitchParams(target_id="u1", summarizer="model"))
            assert done.summarizer == "model"
        assert [event.delay_ms for event in talk.told(RetryScheduled)] == [20]
