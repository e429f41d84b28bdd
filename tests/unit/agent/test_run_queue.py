"""Words that are said during a run: steering goes into the next turn, follow-ups come after the last."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent import events
from pi_lsp.api.chat import QueueParams, set_queue
from pi_lsp.api.errors import RefusedError
from pi_lsp.api.state import state
from tests.support.api_server_replies import Reply
from tests.support.chats import talking
from tests.support.waiting import until


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
