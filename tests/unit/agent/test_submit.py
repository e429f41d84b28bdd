"""A prompt before its run begins, and what several things at once do to each other."""

import asyncio
import json
from pathlib import Path

import pytest

from pi_lsp.agent.chat import UserInput, submit
from pi_lsp.agent.operations import BusyError, Operations
from pi_lsp.agent.prompting import PromptError
from pi_lsp.api import doing
from pi_lsp.api.compaction import CompactParams
from pi_lsp.api.errors import RefusedError
from pi_lsp.api.switching import SwitchParams
from tests.support.api_server_replies import Reply
from tests.support.chats import talking
from tests.support.waiting import until
from tests.support.windows import answered, said
from tests.unit.agent.plugins import Gate, of_user

TALK = [entry for n in range(6) for entry in (said(f"u{n}", "word " * 300), answered(f"a{n}", "answer"))]
SMALL = {"compaction": {"keepRecentTokens": 300}}


async def test_the_second_of_two_prompts_at_once_is_refused(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        results = await asyncio.gather(talk.say("one"), talk.say("two"), return_exceptions=True)
        assert [getattr(result, "stop_reason", None) or getattr(result, "reason", None) for result in results] == [
            "done",
            "busy",
        ]
        assert [text for role, text in await talk.said() if role == "user"] == ["one"]


async def test_steering_while_the_prompt_is_still_prepared_waits_for_its_run(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        gate = Gate(tmp_path)
        of_user(talk, f"@hookimpl\ndef input(text):\n    if text == 'one': {gate.stopping}\n    return text")
        run = talk.begin("one")
        await until(gate.is_reached)
        assert (await talk.say("two", mode="steer")).stop_reason == "queued"
        gate.open()
        await run
        assert [text for role, text in await talk.said() if role == "user"] == ["one", "two"]


async def test_what_cannot_be_sent_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        with pytest.raises(PromptError):
            await submit(talk.window, UserInput(text=" "))
        assert talk.window.operations.is_idle
        assert not talk.window.queue.is_open
        assert talk.stored == ""


async def test_C11_S12_a_prompt_a_compaction_and_a_switch_exclude_each_other(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=TALK, settings=SMALL) as talk:
        talk.server.replies = [Reply(text="## Goal\nShort.", wait_s=0.3)]
        compacting = asyncio.create_task(doing.compact(talk.window, CompactParams()))
        await until(lambda: talk.server.requests)
        for other in (
            talk.say("x"),
            talk.say("x", mode="steer"),
            doing.compact(talk.window, CompactParams()),
            doing.switch(talk.window, SwitchParams(target_id="a1")),
        ):
            with pytest.raises(RefusedError) as refused:
                await other
            assert refused.value.reason == "busy"
        assert (await compacting).stop_reason == "done"
        assert [entry.type for entry in await talk.path()].count("compaction") == 1


async def test_C5_a_cancelled_compaction_writes_nothing_after_its_answer(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=TALK, settings=SMALL) as talk:
        before = talk.stored
        talk.server.replies = [Reply(text="## Goal\nShort.", stall_after=3)]
        compacting = asyncio.create_task(doing.compact(talk.window, CompactParams()))
        await until(lambda: talk.server.requests)
        compacting.cancel()
        assert (await compacting).stop_reason == "cancelled"
        await until(lambda: talk.server.requests[0].gone)
        assert talk.stored == before


async def test_C10_without_a_key_a_compaction_is_local_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(tmp_path, entries=TALK, settings=SMALL) as talk:
        monkeypatch.delenv("ANTHROPIC_BASE_URL")
        done = await doing.compact(talk.window, CompactParams())
        assert (done.stop_reason, done.summarizer) == ("done", "local")
        assert done.error


async def test_C8_the_rules_stand_whole_in_the_first_request_after_a_compaction(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=TALK, settings=SMALL) as talk:
        (talk.place.workspace / "AGENTS.md").write_text("Always mind the tide.")
        await talk.say("one")
        await doing.compact(talk.window, CompactParams(summarizer="local"))
        await talk.say("two")
        assert "Always mind the tide." in json.dumps(talk.server.requests[-1].body["system"])


async def test_work_that_is_ended_twice_cleans_up_once() -> None:
    operations = Operations()
    steps: list[str] = []

    async def work() -> str:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            steps.append("cleaning")
            await asyncio.sleep(0.05)  # in this time it is ended again
            steps.append("clean")
        return "ended"

    running = asyncio.create_task(operations.run("running", work))
    await until(lambda: not operations.is_idle)
    with pytest.raises(BusyError, match="running"):
        await operations.run("compacting", work)
    ending = asyncio.create_task(operations.abort())
    await until(lambda: steps)
    running.cancel()
    await operations.abort()
    await ending
    assert await running == "ended"
    assert steps == ["cleaning", "clean"]
    assert operations.is_idle
    await operations.abort()
