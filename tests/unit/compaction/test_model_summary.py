from collections.abc import Sequence

import pytest

from pi_lsp.base.json import Json, JsonObject
from pi_lsp.compaction.model_summary import summarize
from pi_lsp.compaction.plan import Preparation, prepare
from pi_lsp.compaction.reply import SummaryError, add_usage, read_reply
from pi_lsp.compaction.requests import summary_reasoning
from pi_lsp.compaction.result import Summary, conclude, tokens_after
from pi_lsp.context.model import Model
from pi_lsp.context.wording import WORDING
from pi_lsp.llm.contract import CompletionRequest
from pi_lsp.resources.settings import CompactionSettings
from pi_lsp.session.messages import Message
from tests.unit.compaction.sessions import assistant, call, chain, compaction, result, said, units, user


class Scripted:
    """Answers in order and remembers what it was asked."""

    def __init__(self, *replies: Message) -> None:
        self._replies = list(replies)
        self.requests: list[CompletionRequest] = []

    async def __call__(self, request: CompletionRequest) -> Message:
        self.requests.append(request)
        return self._replies.pop(0)


def reply(text: str, **fields: Json) -> Message:
    usage: JsonObject = {"input": 3, "output": 1, "totalTokens": 4, "cost": {"total": 0.5}}
    content: Json = [{"type": "text", "text": text}]
    return {"role": "assistant", "content": content, "stopReason": "stop", "usage": usage, **fields}


def split_turn(*before: JsonObject) -> Preparation:
    path = chain(
        *before, user("go on"), assistant("", call("c", "edit", path="a.py")), result("c"), assistant(units(9))
    )
    preparation = prepare(path, CompactionSettings(keep_recent_tokens=9))
    assert preparation is not None
    return preparation


async def test_a_split_turn_gets_two_summaries_in_one() -> None:
    model = Scripted(reply("HISTORY"), reply("PREFIX"))
    preparation = split_turn(user("old"), assistant("fine"))
    summary = await summarize(preparation, model)
    assert summary.text == "HISTORY\n\n---\n\n**Turn Context (split turn):**\n\nPREFIX"
    assert summary.usage is not None
    assert (summary.usage["totalTokens"], summary.usage["cost"]) == (
        8,
        {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 1.0, "totalFromProvider": False},
    )
    history, prefix = (request.prompt for request in model.requests)
    assert history == f"<conversation>\n[User]: old\n\n[Assistant]: fine\n</conversation>\n\n{WORDING.summary_first}"
    assert prefix.startswith("# Conversation\n[User]: go on\n\n[Assistant tool calls]: edit")
    assert prefix.endswith(f"# Instructions\n{WORDING.summary_turn_prefix}")
    assert len({request.session_id for request in model.requests}) == 2


async def test_the_earlier_summary_stands_for_a_history_that_is_empty() -> None:
    model = Scripted(reply("PREFIX"))
    summary = await summarize(split_turn(user("old"), compaction("EARLIER", "e1")), model)
    assert summary.text.startswith("EARLIER\n\n---\n\n")
    model = Scripted(reply("PREFIX"))
    assert (await summarize(split_turn(), model)).text.startswith("No prior history.\n\n---\n\n")


async def test_an_earlier_summary_is_taken_in() -> None:
    path = chain(user("old"), compaction("EARLIER", "e1"), user("new"), user(units(9)))
    preparation = prepare(path, CompactionSettings(keep_recent_tokens=9))
    assert preparation is not None
    model = Scripted(reply("NEW"))
    await summarize(preparation, model)
    assert "<previous-summary>\nEARLIER\n</previous-summary>\n\n" in model.requests[0].prompt
    assert model.requests[0].prompt.endswith(WORDING.summary_update)


async def test_C4_instructions_reach_both_parts_of_a_split_turn() -> None:
    model = Scripted(reply("H"), reply("P"))
    await summarize(split_turn(user("old")), model, instructions="only the tests", reasoning="high")
    assert len(model.requests) == 2
    for request in model.requests:
        assert request.prompt.endswith("\n\nAdditional focus: only the tests")
        assert request.reasoning == "high"
        assert request.system == WORDING.summary_system


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (reply("half", stopReason="length"), "Turn prefix summarization failed: .*output limit"),
        (reply("", stopReason="error", errorMessage="overloaded"), "Turn prefix summarization failed: overloaded"),
        (reply("", stopReason="error"), "Turn prefix summarization failed: Unknown error"),
        ({**reply(""), "content": [call("x", "read")]}, "Turn prefix summarization failed: .*tool"),
    ],
)
async def test_C2_what_is_no_whole_summary_is_refused(bad: Message, why: str) -> None:
    with pytest.raises(SummaryError, match=why):
        await summarize(split_turn(user("old")), Scripted(reply("H"), bad))


def test_the_stored_form_carries_the_files() -> None:
    preparation = split_turn(user("old"))
    done = conclude(preparation, Summary(text="S"))
    assert done.summary == "S\n\n<modified-files>\na.py\n</modified-files>"
    assert done.details == {"readFiles": [], "modifiedFiles": ["a.py"]}
    assert done.first_kept_entry_id == preparation.first_kept_entry_id
    local = conclude(preparation, Summary(text="S", summarizer="local"))
    assert local.details["summarizer"] == "local"
    assert local.usage is None


def test_C9_tokens_after_are_prompt_summary_and_what_is_kept() -> None:
    prompt = said({"role": "system", "content": units(40)})
    preparation = split_turn(prompt, user(units(100)))
    assert tokens_after(preparation, units(5)) == 40 + 5 + 9
    assert tokens_after(preparation, units(500)) > preparation.tokens_before


def test_thinking_only_where_the_model_can() -> None:
    assert summary_reasoning(Model(id="m", reasoning=True), "low") == "low"
    assert summary_reasoning(Model(id="m", reasoning=True), "off") is None
    assert summary_reasoning(Model(id="m"), "low") is None


def test_an_aborted_or_empty_reply_is_read_as_it_is() -> None:
    assert read_reply(reply("so far", stopReason="aborted"), "T").text == "so far"
    assert read_reply({"role": "assistant", "content": None}, "T").text == ""


@pytest.mark.parametrize("pair", [(None, None), ({"input": 1}, None), (None, {"input": 1})])
def test_one_usage_alone_stays_as_it_is(pair: Sequence[JsonObject | None]) -> None:
    assert add_usage(pair[0], pair[1]) == (pair[0] or pair[1])


def test_usages_of_any_shape_are_added() -> None:
    cost: JsonObject = {"total": 0.1, "totalFromProvider": True}
    total = add_usage({"input": 1, "reasoning": 2, "cost": cost}, {"input": "x", "output": 4.5, "cost": cost})
    assert total is not None
    assert (total["input"], total["output"], total["reasoning"]) == (1, 4.5, 2)
    assert "cacheWrite1h" not in total
    assert total["cost"] == {
        "input": 0,
        "output": 0,
        "cacheRead": 0,
        "cacheWrite": 0,
        "total": 0.2,
        "totalFromProvider": True,
    }
