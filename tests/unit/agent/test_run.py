"""A run from the user's words to its end, with the real SDK on the strict local API."""

import asyncio
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent import events
from pi_lsp.api import doing
from pi_lsp.api.chat import abort
from pi_lsp.api.compaction import CompactParams
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.api.state import state
from tests.support.api_server_replies import Reply
from tests.support.chats import talking
from tests.support.waiting import until
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


async def test_S11_tools_are_answered_behind_their_call_that_none_is_run(tmp_path: Path) -> None:
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


async def test_a_window_without_a_folder_talks_and_writes_nothing(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.window.cwd = None
        await talk.window.replace_session(lambda _: talk.window.begin_session())
        before = files_below(tmp_path)
        assert (await talk.say("go")).stop_reason == "done"
        assert [role for role, _ in await talk.said()] == ["user", "assistant"]
        assert files_below(tmp_path) == before


def files_below(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


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


# --- another program writes to the same session -----------------------------------------------------------------------


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
