"""Thinking goes back only behind the words behind which it was thought."""

import json
from pathlib import Path
from typing import Any

from pi_lsp.agent.replay import Prefix, stale_thinking, without_thinking
from pi_lsp.api import doing
from pi_lsp.api.compaction import CompactParams
from pi_lsp.api.explain import ExplainParams, explain
from pi_lsp.api.switching import SwitchParams
from pi_lsp.context.trace import Item
from tests.support.api_server_replies import Reply
from tests.support.chats import Talk, talking

PROMPT = {"role": "system", "content": "", "sections": {"preamble": "Be kind."}}
THINKING = {"defaultThinkingLevel": "high"}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def thought(text: str) -> dict[str, Any]:
    block = {"type": "thinking", "thinking": text, "thinkingSignature": f"sig {text}"}
    return {"role": "assistant", "content": [block, {"type": "text", "text": text}]}


def items(*messages: dict[str, Any]) -> list[Item]:
    return [Item(place, message) for place, message in enumerate(messages)]


def test_thinking_is_stale_where_anything_before_it_is_another() -> None:
    told = [user("a"), thought("b"), user("c"), thought("d")]
    known = {"1": Prefix([PROMPT, *told[:1]]).digest, "3": Prefix([PROMPT, *told[:3]]).digest}
    owners = ["0", "1", "2", "3"]
    assert stale_thinking(PROMPT, items(*told), owners, known) == set()
    assert stale_thinking(PROMPT, items(*told), owners, {}) == {1, 3}
    # What comes later was thought behind the thinking that is gone now.
    assert stale_thinking(PROMPT, items(user("other"), *told[1:]), owners, known) == {1, 3}
    assert stale_thinking(PROMPT, items(*told[:2], user("other"), told[3]), owners, known) == {3}
    assert stale_thinking({**PROMPT, "sections": {}}, items(*told), owners, known) == {1, 3}
    timed = [{**message, "timestamp": 5} for message in told]
    assert stale_thinking(PROMPT, items(*timed), owners, known) == set()


def test_an_answer_of_which_nothing_is_left_is_not_part_of_the_prefix() -> None:
    only = {"role": "assistant", "content": thought("b")["content"][:1]}
    later = thought("d")
    known = {"2": Prefix([PROMPT, user("a")]).digest}
    assert stale_thinking(PROMPT, items(user("a"), only, later), ["0", "1", "2"], known) == {1}


def test_unsigned_thinking_is_sent_as_text_and_stays() -> None:
    unsigned = {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]}
    assert without_thinking(unsigned) == unsigned
    assert stale_thinking(PROMPT, items(user("a"), unsigned), ["0", "1"], {}) == set()


def thinking_of(talk: Talk) -> list[str]:
    return [
        block["thinking"]
        for message in talk.server.requests[-1].body["messages"]
        for block in message["content"]
        if block["type"] == "thinking"
    ]


async def test_another_process_has_its_thinking_left_out_and_told(tmp_path: Path) -> None:
    async with talking(tmp_path, settings=THINKING) as talk:
        talk.server.replies = [Reply(text="one", thinking="first"), Reply(text="two", thinking="second")]
        await talk.say("a")
        await talk.say("b")
        assert thinking_of(talk) == ["first"]
        answer = (await talk.path())[-1].id
        talk.window.talk.thought_behind.clear()  # as a new process knows nothing
        [hit] = (await explain(talk.window, ExplainParams(entry_id=answer))).hits
        assert (hit.fate, hit.stage) == ("changed", "repair")
        assert "thinking was left out" in hit.detail
        before = talk.stored
        talk.server.replies = [Reply(text="three", thinking="third")]
        await talk.say("c")
        assert thinking_of(talk) == []
        await talk.say("d")
        assert thinking_of(talk) == ["third"]
        assert talk.stored.startswith(before)


async def test_a_changed_rule_a_compaction_and_a_switch_leave_thinking_out(tmp_path: Path) -> None:
    settings = {**THINKING, "compaction": {"keepRecentTokens": 60}}
    async with talking(tmp_path, settings=settings) as talk:
        rules = talk.place.workspace / "AGENTS.md"
        rules.write_text("one")
        for n in range(4):
            talk.server.replies = [Reply(text=f"{n} " + "word " * 40, thinking=f"thought {n}")]
            await talk.say(f"question {n}")
        assert thinking_of(talk) == ["thought 0", "thought 1", "thought 2"]
        rules.write_text("two")
        talk.server.replies = [Reply(text="five", thinking="thought 4")]
        await talk.say("now")
        assert thinking_of(talk) == []
        await talk.say("then")
        assert thinking_of(talk) == ["thought 4"]
        await doing.compact(talk.window, CompactParams(summarizer="local"))
        await talk.say("after the compaction")
        assert thinking_of(talk) == []
        first = next(
            entry.id
            for entry in await talk.path()
            if entry.type == "message" and "question 1" in json.dumps(entry.message)
        )
        await doing.switch(talk.window, SwitchParams(target_id=first))
        await talk.say("elsewhere")
        assert thinking_of(talk) == []
