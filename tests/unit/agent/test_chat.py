"""A run from the user's words to its end, with the real SDK on the strict local API."""

import asyncio
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent import events
from pi_lsp.api import doing
from pi_lsp.api.chat import QueueParams, abort, set_queue
from pi_lsp.api.compaction import CompactParams
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.api.state import state
from pi_lsp.session.store import Session
from tests.support.api_server_replies import Reply
from tests.support.chats import AT_ONCE, talking, until
from tests.support.windows import answered, said


async def test_a_question_and_its_answer(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(text="Hello. " * 20)]
        result = await talk.say("Hi")
        assert result.stop_reason == "done"
        assert result.usage
        assert result.usage.output > 0
        assert result.usage.cost.total > 0
        path = await talk.path()
        kinds = [entry.type for entry in path]
        assert kinds == ["model_change", "thinking_level_change", "message", "message", "message"]
        assert path[-1].id == result.leaf_id
        assert await talk.said() == [("user", "Hi"), ("assistant", "Hello. " * 20)]
        deltas = [event.delta for event in talk.told(events.MessageDelta)]
        assert "".join(deltas) == "Hello. " * 20
        order = [type(event).__name__ for event in talk.events if not isinstance(event, events.EntryAppended)]
        assert [name for at, name in enumerate(order) if order[at - 1 : at] != [name]] == [
            *["AgentStart", "MessageStart", "MessageEnd", "MessageStart", "MessageEnd"],
            *["TurnStart", "MessageStart", "MessageDelta", "MessageEnd", "TurnEnd", "AgentEnd"],
        ]
        assert json.loads(talk.stored.splitlines()[-1]) == path[-1].body


async def test_S8_the_prompt_is_on_disk_before_the_request_leaves(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(stall_after=0)]
        run = talk.begin("Remember me")
        await until(lambda: talk.server.requests)
        assert [json.loads(line)["type"] for line in talk.stored.splitlines()][-1] == "message"
        assert "Remember me" in talk.stored.splitlines()[-1]
        await abort(talk.window, None)
        await run


async def test_thirty_turns_repeat_the_prefix_byte_for_byte_and_read_it_from_the_cache(tmp_path: Path) -> None:
    async with talking(tmp_path, settings={"defaultThinkingLevel": "high"}) as talk:
        for turn in range(30):
            talk.server.replies = [Reply(text=f"Answer {turn}", thinking=f"Hm, {turn}.")]
            assert (await talk.say(f"Question {turn}")).stop_reason == "done"
        requests = talk.server.requests
        assert len(requests) == 30
        for before, now in itertools.pairwise(requests):
            assert _unmarked(now.body)[: len(_unmarked(before.body))] == _unmarked(before.body)
            assert now.usage["cache_read_input_tokens"] == (
                before.usage["cache_read_input_tokens"] + before.usage["cache_creation_input_tokens"]
            )
        thoughts = [
            block
            for message in requests[-1].body["messages"]
            for block in _blocks(message)
            if block["type"] == "thinking"
        ]
        assert len(thoughts) == 29


def _unmarked(body: dict[str, Any]) -> list[Any]:
    """System, tools and messages without the breakpoints, which are not part of what is read."""
    text = json.dumps([body["system"], body.get("tools"), *body["messages"]])
    return json.loads(text.replace(', "cache_control": {"type": "ephemeral"}', ""))


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    return message["content"] if isinstance(message["content"], list) else []


# --- words during a run -----------------------------------------------------------------------------------------------


async def test_steering_goes_into_the_next_turn_and_follow_ups_come_after_the_last(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(text="one", delay_s=0.05), Reply(text="two"), Reply(text="three")]
        run = talk.begin("go")
        await until(lambda: talk.server.requests)
        assert (await talk.say("later", mode="followUp")).stop_reason == "queued"
        assert (await talk.say("now", mode="steer")).stop_reason == "queued"
        now = await state(talk.window, None)
        assert (now.phase, now.queue.steer, now.queue.follow_up) == ("running", ["now"], ["later"])
        with pytest.raises(RefusedError) as refused:
            await talk.say("too early")
        assert refused.value.reason == "busy"
        assert (await run).stop_reason == "done"
        assert [text for _, text in await talk.said()] == ["go", "one", "now", "two", "later", "three"]
        assert [(event.steer, event.follow_up) for event in talk.told(events.QueueChanged)] == [
            ([], ["later"]),
            (["now"], ["later"]),
            ([], ["later"]),
            ([], []),
        ]


async def test_steering_when_idle_is_a_prompt(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        assert (await talk.say("first", mode="steer")).stop_reason == "done"
        assert (await talk.say("second", mode="followUp")).stop_reason == "done"
        assert [text for role, text in await talk.said() if role == "user"] == ["first", "second"]


async def test_nothing_that_is_said_at_the_very_end_is_lost(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        results: list[Any] = []

        async def steer(text: str) -> None:
            results.append(await talk.say(text, mode="steer"))

        run = talk.begin("go")
        steering: list[asyncio.Task[None]] = []
        said_at: list[str] = []
        emit = talk.window.emit

        def heard(event: events.Event) -> object:
            if isinstance(event, events.TurnEnd | events.AgentEnd) and len(steering) < 6:
                said_at.append(f"at {type(event).__name__} {len(steering)}")
                steering.append(asyncio.create_task(steer(said_at[-1])))
            return emit(event)

        talk.window.emit = heard
        await run
        while any(not task.done() for task in steering):
            await asyncio.gather(*steering)
        await until(lambda: talk.window.operations.is_idle)
        users = [text for role, text in await talk.said() if role == "user"]
        assert len(steering) == 6
        assert sorted(users) == sorted(["go", *said_at])
        assert {result.stop_reason for result in results} <= {"queued", "done"}
        assert talk.window.queue.steer == []


async def test_all_steering_at_once_where_the_settings_say_so(tmp_path: Path) -> None:
    async with talking(tmp_path, settings={"steeringMode": "all"}) as talk:
        talk.server.replies = [Reply(text="one", delay_s=0.05)]
        run = talk.begin("go")
        await until(lambda: talk.server.requests)
        await talk.say("a", mode="steer")
        await talk.say("b", mode="steer")
        await run
        assert [role for role, _ in await talk.said()] == ["user", "assistant", "user", "user", "assistant"]


async def test_the_queue_is_what_the_user_makes_of_it(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(text="one", delay_s=0.05)]
        run = talk.begin("go")
        await until(lambda: talk.server.requests)
        await talk.say("a", mode="steer")
        await talk.say("b", mode="followUp")
        kept = talk.window.queue.find("b")
        now = await set_queue(talk.window, QueueParams(steer=[], follow_up=["c", "b"]))
        assert (now.queue.steer, now.queue.follow_up) == ([], ["c", "b"])
        assert talk.window.queue.follow_ups[1] is kept
        await run
        assert [text for role, text in await talk.said() if role == "user"] == ["go", "c", "b"]


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
        await until(lambda: talk.window.operations.phase == "retrying" and talk.told(events.RetryScheduled))
        await asyncio.sleep(0.01)
        await abort(talk.window, None)
        assert (await run).stop_reason == "cancelled"
        assert [event.success for event in talk.told(events.RetryFinished)] == [False]
        assert talk.window.operations.phase == "idle"


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


async def test_tools_are_answered_that_none_is_run_and_S11_behind_their_call(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(text="I look.", tools=[{"id": "t1", "name": "read", "input": {"path": "x"}}])]
        assert (await talk.say("go")).stop_reason == "done"
        assert [role for role, _ in await talk.said()] == ["user", "assistant", "toolResult", "assistant"]
        result = (await talk.path())[-2].message
        assert (result["toolCallId"], result["isError"]) == ("t1", True)


async def test_a_model_that_calls_tools_without_end_is_stopped(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(tools=[{"id": f"t{n}", "name": "read", "input": {}}]) for n in range(60)]
        assert (await talk.say("go")).stop_reason == "maxTurns"
        assert len(talk.server.requests) == 50


# --- a context that is too long ---------------------------------------------------------------------------------------


def long_history(turns: int = 8) -> list[dict[str, Any]]:
    return [
        entry
        for n in range(turns)
        for entry in (said(f"u{n}", f"request {n} " + "word " * 400), answered(f"a{n}", f"answer {n}"))
    ]


KEEP_LITTLE = {**AT_ONCE, "compaction": {"keepRecentTokens": 300, "reserveTokens": 1000}}


async def test_an_overflow_is_compacted_once_and_asked_again(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=long_history(), settings=KEEP_LITTLE) as talk:
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
    async with talking(tmp_path, entries=long_history(), settings=KEEP_LITTLE) as talk:
        too_long = Reply(status=400, error="prompt is too long: 210000 tokens > 200000 maximum")
        talk.server.replies = [too_long, Reply(text="## Goal\nShort."), too_long]
        result = await talk.say("go")
        assert result.stop_reason == "error"
        assert result.error
        assert "too long" in result.error
        assert len(talk.server.requests) == 3


async def test_a_context_over_the_threshold_is_compacted_before_the_prompt(tmp_path: Path) -> None:
    entries = [*long_history(), answered("b", "much", tokens=199_500)]
    async with talking(tmp_path, entries=entries, settings=KEEP_LITTLE) as talk:
        talk.server.replies = [Reply(text="## Goal\nShort."), Reply(text="Yes.")]
        assert (await talk.say("go")).stop_reason == "done"
        assert [event.reason for event in talk.told(events.CompactionStart)] == ["threshold"]
        types = [entry.type for entry in await talk.path()]
        assert types.index("compaction") < len(types) - 2


# --- what is refused before anything is said --------------------------------------------------------------------------


async def test_without_a_key_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with talking(tmp_path) as talk:
        monkeypatch.delenv("ANTHROPIC_BASE_URL")
        with pytest.raises(RefusedError) as refused:
            await talk.say("go")
        assert refused.value.reason == "noModel"
        assert "ANTHROPIC_API_KEY" in str(refused.value)
        assert talk.stored == ""


async def test_a_summary_without_a_key_is_local_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [each for n in range(9) for each in (said(f"u{n}", "word " * 5000), answered(f"a{n}", "yes"))]
    async with talking(tmp_path, entries=entries) as talk:
        monkeypatch.delenv("ANTHROPIC_BASE_URL")
        done = await doing.compact(talk.window, CompactParams())
        assert done.summarizer == "local"
        assert done.error is not None
        assert "ANTHROPIC_API_KEY" in done.error


@pytest.mark.parametrize("text", ["", " \n\t"])
async def test_nothing_to_send(tmp_path: Path, text: str) -> None:
    async with talking(tmp_path) as talk:
        with pytest.raises(ParamsError):
            await talk.say(text)
        assert talk.stored == ""
        assert talk.events == []


async def test_S1_what_another_program_wrote_just_before_the_prompt_is_looked_at_first(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=[said("u", "x"), answered("a", "y")]) as talk:
        line = {"parentId": "a", "timestamp": "2026-01-01T00:00:00.000Z", **said("p", "from Pi")}
        with talk.place.session.open("a") as file:
            file.write(json.dumps(line) + "\n")
        with pytest.raises(RefusedError) as refused:
            await talk.say("go")
        assert refused.value.reason == "staleTip"
        assert "go" not in [text for _, text in await talk.said()]
        assert talk.told(events.ForeignAppend)[0].leaf_moved
        assert (await talk.say("go")).stop_reason == "done"
        assert [text for role, text in await talk.said() if role == "user"] == ["x", "from Pi", "go"]


async def test_a_run_stays_on_its_branch_when_another_program_writes(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=[said("u", "x"), answered("a", "y")]) as talk:
        talk.server.replies = [Reply(text="mine", wait_s=0.1)]
        run = talk.begin("go")
        await until(lambda: talk.server.requests)
        line = {"parentId": "a", "timestamp": "2026-01-01T00:00:00.000Z", **said("p", "from Pi")}
        with talk.place.session.open("a") as file:
            file.write(json.dumps(line) + "\n")
        assert (await run).stop_reason == "done"
        assert [text for _, text in await talk.said()] == ["x", "y", "go", "mine"]
        assert talk.told(events.ForeignAppend)


async def test_a_window_without_a_folder_talks_and_writes_nothing(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.window.cwd = None
        await talk.window.replace_session(lambda: talk.window.begin_session())
        before = files_below(tmp_path)
        assert (await talk.say("go")).stop_reason == "done"
        assert [role for role, _ in await talk.said()] == ["user", "assistant"]
        assert files_below(tmp_path) == before


def files_below(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


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


async def test_running_tells_the_answer_so_far(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(text="one two three four", stall_after=5)]
        run = talk.begin("go")
        await until(lambda: talk.told(events.MessageDelta))
        await asyncio.sleep(0.02)
        running = (await state(talk.window, None)).running
        assert running
        told = "".join(event.delta for event in talk.told(events.MessageDelta))
        assert running.message
        assert running.message["content"][0]["text"] == told  # type: ignore[index]  a message of the API
        await abort(talk.window, None)
        await run
        assert (await state(talk.window, None)).running is None
