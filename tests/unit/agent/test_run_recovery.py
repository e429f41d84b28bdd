"""A run that does not go straight to its end: aborts, failures and a context that is too long."""

import asyncio
import json
from pathlib import Path

import pytest

from pi_lsp.agent import events
from pi_lsp.api.chat import abort
from pi_lsp.session.store import Session
from tests.support.api_server_replies import Reply
from tests.support.chats import talking
from tests.support.waiting import until
from tests.support.windows import answered
from tests.unit.agent.talk import long_talk

# --- the end by the user ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reply", [Reply(wait_s=30), Reply(text="Half an answer", stall_after=4)])
async def test_an_abort_stores_what_has_arrived_and_gives_back_what_was_not_said(tmp_path: Path, reply: Reply) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [reply]
        run = talk.begin("go")
        await until(lambda: talk.server.requests)
        await until(lambda: not reply.text or talk.told(events.MessageDelta))
        await talk.say("and this", mode="steer")
        left = await abort(talk.window, None)
        size = len(talk.stored)
        assert (left.queue.steer, left.queue.follow_up) == (["and this"], [])
        result = await run
        assert result.stop_reason == "cancelled"
        answer = (await talk.path())[-1].message
        assert answer["stopReason"] == "aborted"
        assert len(talk.stored) == size
        await until(lambda: talk.server.requests[0].gone)
        assert talk.told(events.AgentEnd)[0].stop_reason == "cancelled"
        talk.server.replies = []
        assert (await talk.say("again")).stop_reason == "done"
        roles = [message["role"] for message in talk.server.requests[-1].body["messages"]]
        assert roles == ["user", "user"]


async def test_an_abort_ends_the_pause_before_a_retry(tmp_path: Path) -> None:
    async with talking(tmp_path, settings={"retry": {"baseDelayMs": 60_000}}) as talk:
        talk.server.replies = [Reply(status=529, error="Overloaded", body=None)]
        run = talk.begin("go")
        await until(lambda: "context_edit" in talk.stored)  # the last thing that is done before the pause
        await abort(talk.window, None)
        assert (await run).stop_reason == "cancelled"
        assert [event.success for event in talk.told(events.RetryFinished)] == [False]
        assert talk.window.operations.phase == "idle"


async def test_an_abort_of_a_second_attempt_ends_the_retries(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(status=529, error="Overloaded"), Reply(wait_s=30)]
        run = talk.begin("go")
        await until(lambda: len(talk.server.requests) == 2)
        await abort(talk.window, None)
        assert (await run).stop_reason == "cancelled"
        assert [(event.attempt, event.success) for event in talk.told(events.RetryFinished)] == [(1, False)]


async def test_an_abort_at_every_await_leaves_a_session_that_goes_on(tmp_path: Path) -> None:
    """Cancel after n steps of the event loop, for n so long that every await of a run is met."""
    met: set[str] = set()
    async with talking(tmp_path) as talk:
        await talk.say("import the SDK")
        for steps in range(1, 60):
            talk.server.replies = [Reply(text="a b c d e f", chunk=1)]
            run = talk.begin(f"go {steps}")
            for _ in range(steps):
                await asyncio.sleep(0 if steps < 30 else 0.0005 * (steps - 29))
                if run.done():
                    break
            run.cancel()
            result = await run
            met.add(result.stop_reason)
            assert talk.window.operations.is_idle
            assert talk.window.run is None
        talk.server.replies = []
        assert (await talk.say("still there?")).stop_reason == "done"
        assert (await talk.window.in_session(lambda conversation: conversation.session.running)) is False
        stored = Session.open(str(talk.place.session), str(talk.place.workspace))
        assert [entry.id for entry in stored.tree.path(stored.leaf_id)] == [entry.id for entry in await talk.path()]
        starts, ends = talk.told(events.AgentStart), talk.told(events.AgentEnd)
        assert len(starts) == len(ends)
    assert met == {"cancelled", "done"}


async def test_a_request_that_is_cancelled_answers_normally(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(wait_s=30)]
        run = talk.begin("go")
        await until(lambda: talk.server.requests)
        run.cancel()
        assert (await run).stop_reason == "cancelled"


# --- failures ---------------------------------------------------------------------------------------------------------


async def test_L6_a_failure_that_passes_is_tried_again_and_nothing_is_twice_in_the_context(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [
            Reply(status=500, error="Internal server error"),
            Reply(text="Half", cut_after=4),
            Reply(text="whole"),
        ]
        result = await talk.say("go")
        assert result.stop_reason == "done"
        scheduled = talk.told(events.RetryScheduled)
        assert [(event.attempt, event.max_attempts, event.operation) for event in scheduled] == [
            (1, 3, "chat"),
            (2, 3, "chat"),
        ]
        assert [event.attempt for event in talk.told(events.RetryAttemptStart)] == [1, 2]
        assert [(event.attempt, event.success) for event in talk.told(events.RetryFinished)] == [(2, True)]
        last = talk.server.requests[-1].body["messages"]
        assert [message["role"] for message in last] == ["user"]
        assert talk.stored.count('"type":"context_edit"') == 2  # Pi must not see the failed attempts either
        assert len(talk.told(events.TurnStart)) == len(talk.told(events.TurnEnd)) == 3


async def test_L6_the_pause_that_the_server_asks_for_is_kept(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(status=429, error="rate limit", headers={"retry-after-ms": "30"})]
        assert (await talk.say("go")).stop_reason == "done"
        assert [event.delay_ms for event in talk.told(events.RetryScheduled)] == [30]


async def test_retries_come_to_an_end(tmp_path: Path) -> None:
    async with talking(tmp_path, settings={"retry": {"baseDelayMs": 0, "maxRetries": 2}}) as talk:
        talk.server.replies = [Reply(status=500, error="Internal server error") for _ in range(3)]
        result = await talk.say("go")
        assert result.stop_reason == "error"
        assert result.error
        assert "Internal server error" in result.error
        assert len(talk.server.requests) == 3
        assert [(event.attempt, event.success) for event in talk.told(events.RetryFinished)] == [(2, False)]
        assert (await talk.say("go on")).stop_reason == "done"


async def test_what_is_not_worth_another_try_is_not_tried(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(status=400, error="Your credit balance is too low (billing)")]
        result = await talk.say("go")
        assert result.stop_reason == "error"
        assert len(talk.server.requests) == 1
        assert talk.told(events.RetryScheduled) == []


async def test_S7_an_answer_that_cannot_be_stored_is_an_error_and_the_session_goes_on(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(text="lost", wait_s=0.2)]
        run = talk.begin("go")
        await until(lambda: talk.server.requests)
        talk.place.session.rename(tmp_path / "elsewhere.jsonl")
        result = await run
        assert result.stop_reason == "error"
        assert result.error
        (tmp_path / "elsewhere.jsonl").rename(talk.place.session)
        assert (await talk.say("again")).stop_reason == "done"


# --- a context that is too long ---------------------------------------------------------------------------------------

LONG_TALK = long_talk(8, tokens=400)
KEEP_LITTLE = {"compaction": {"keepRecentTokens": 300, "reserveTokens": 1000}}


async def test_an_overflow_is_compacted_once_and_asked_again(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=LONG_TALK, settings=KEEP_LITTLE) as talk:
        (talk.place.workspace / "AGENTS.md").write_text("Never say never.")
        too_long = Reply(status=400, error="prompt is too long: 210000 tokens > 200000 maximum")
        talk.server.replies = [too_long, Reply(text="## Goal\nAll of it."), Reply(text="Here I am.")]
        result = await talk.say("go")
        assert (result.stop_reason, result.error) == ("done", None)
        assert [event.reason for event in talk.told(events.CompactionStart)] == ["overflow"]
        assert talk.told(events.CompactionEnd)[0].summarizer == "model"
        last = talk.server.requests[-1].body
        assert "All of it." in json.dumps(last["messages"][0])
        assert "Never say never." in json.dumps(last["system"])  # C8
        assert [text for role, text in await talk.said() if role == "user"][-1] == "go"


async def test_a_second_overflow_is_a_failure(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=LONG_TALK, settings=KEEP_LITTLE) as talk:
        too_long = Reply(status=400, error="prompt is too long: 210000 tokens > 200000 maximum")
        talk.server.replies = [too_long, Reply(text="## Goal\nShort."), too_long]
        result = await talk.say("go")
        assert result.stop_reason == "error"
        assert result.error
        assert "too long" in result.error
        assert len(talk.server.requests) == 3


async def test_a_context_over_the_threshold_is_compacted_before_the_prompt(tmp_path: Path) -> None:
    entries = [*LONG_TALK, answered("b", "much", tokens=199_500)]
    async with talking(tmp_path, entries=entries, settings=KEEP_LITTLE) as talk:
        talk.server.replies = [Reply(text="## Goal\nShort."), Reply(text="Yes.")]
        assert (await talk.say("go")).stop_reason == "done"
        assert [event.reason for event in talk.told(events.CompactionStart)] == ["threshold"]
        types = [entry.type for entry in await talk.path()]
        assert types.index("compaction") < len(types) - 2
