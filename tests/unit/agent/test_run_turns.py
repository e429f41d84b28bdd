"""Between the turns of a run: what is full, what has changed, and what others write meanwhile."""

import json
from pathlib import Path

from pi_lsp.agent import events
from tests.support.api_server_replies import Reply
from tests.support.chats import talking
from tests.support.waiting import until
from tests.support.windows import answered, said
from tests.unit.agent.talk import long_talk

KEEP_LITTLE = {"compaction": {"keepRecentTokens": 300, "reserveTokens": 1000}}
FULL = dict.fromkeys(("cache_read_input_tokens", "cache_creation_input_tokens"), 0) | {"input_tokens": 199_500}


async def test_what_an_answer_fills_is_compacted_after_it_and_what_is_said_meanwhile_comes_next(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=long_talk(8, tokens=400), settings=KEEP_LITTLE) as talk:
        talk.server.replies = [
            Reply(text="one", usage=FULL),
            Reply(text="## Goal\nShort.", wait_s=0.2),
            Reply(text="2"),
        ]
        run = talk.begin("go")
        await until(lambda: len(talk.server.requests) == 2)
        assert (await talk.say("and now", mode="steer")).stop_reason == "queued"
        assert (await run).stop_reason == "done"
        assert [event.reason for event in talk.told(events.CompactionStart)] == ["threshold"]
        types = [entry.type for entry in await talk.path()]
        assert types[-3:] == ["compaction", "message", "message"]
        assert [text for _, text in await talk.said()][-3:] == ["one", "and now", "2"]
        assert "Short." in json.dumps(talk.server.requests[-1].body["messages"][0])


async def test_an_answer_that_is_cut_since_the_window_is_full_is_asked_for_again(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=long_talk(8, tokens=400), settings=KEEP_LITTLE) as talk:
        talk.server.replies = [
            Reply(text="hal", stop_reason="max_tokens"),
            Reply(text="## Goal\nS."),
            Reply(text="whole"),
        ]
        assert (await talk.say("go")).stop_reason == "done"
        assert [event.reason for event in talk.told(events.CompactionStart)] == ["overflow"]
        assert "hal" not in json.dumps(talk.server.requests[-1].body["messages"])
        assert (await talk.said())[-1] == ("assistant", "whole")


async def test_retries_that_end_in_another_failure_are_told_as_ended(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(status=529, error="Overloaded"), Reply(status=400, error="billing: no credit")]
        result = await talk.say("go")
        assert result.stop_reason == "error"
        assert "no credit" in (result.error or "")
        assert [(event.attempt, event.success) for event in talk.told(events.RetryFinished)] == [(1, False)]


async def test_a_rule_that_changes_during_a_run_is_in_its_next_request(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        rules = talk.place.workspace / "AGENTS.md"
        rules.write_text("The rule of before.")
        talk.server.replies = [Reply(text="one", wait_s=0.1), Reply(text="two")]
        run = talk.begin("go")
        await until(lambda: talk.server.requests)
        rules.write_text("The rule of now.")
        await talk.say("more", mode="steer")
        assert (await run).stop_reason == "done"
        first, second = (json.dumps(request.body) for request in talk.server.requests)
        assert "The rule of before." in first and "The rule of now." not in first
        assert "The rule of now." in second


async def test_S1_an_answer_follows_its_question_though_another_program_has_gone_on_from_it(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=[said("u", "x"), answered("a", "y")]) as talk:
        talk.server.replies = [Reply(text="mine", wait_s=0.1)]
        run = talk.begin("go")
        await until(lambda: talk.server.requests)
        prompt = json.loads(talk.stored.splitlines()[-1])
        line = {"parentId": prompt["id"], "timestamp": "2026-01-01T00:00:00.000Z", **said("p", "from Pi")}
        with talk.place.session.open("a") as file:
            file.write(json.dumps(line) + "\n")
        assert (await run).stop_reason == "done"
        assert [text for _, text in await talk.said()] == ["x", "y", "go", "mine"]
        [told] = talk.told(events.ForeignAppend)
        assert not told.leaf_moved
