import asyncio
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent.events import BranchSummaryEnd, BranchSummaryStart, SessionChanged
from pi_lsp.agent.seams import Seams
from pi_lsp.agent.switching import Switcher, label_entry
from pi_lsp.base.json import as_object, encode
from pi_lsp.compaction.navigate import GivenSummary, Navigation, Switch, SwitchDecision
from pi_lsp.llm.body import request_body
from pi_lsp.llm.scripted import ScriptedAnswer
from pi_lsp.session.actions import append_message
from pi_lsp.session.errors import EntryNotFoundError
from tests.support.strict_api import violations
from tests.support.waiting import until
from tests.support.windows import AT_ONCE, Place, answered, said
from tests.unit.agent.talk import SONNET, leaf, named, path, prompt_of, provider_of, recorded, reopened, speaker, text


def edited(entry_id: str, file: str) -> dict[str, Any]:
    call = {"type": "toolCall", "id": f"c-{entry_id}", "name": "edit", "arguments": {"path": file}}
    return answered(entry_id, "", content=[call], stopReason="toolUse")


def done(entry_id: str, of: str) -> dict[str, Any]:
    return said(entry_id, "ok", role="toolResult", toolCallId=f"c-{of}", toolName="edit", isError=False)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """u0 a0 u1 a1, where a1 edits b.py."""
    place = Place(tmp_path, sample=False)
    place.write_session(
        [
            said("u0", "first"),
            answered("a0", "one"),
            said("u1", "second"),
            edited("e1", "b.py"),
            done("r1", "e1"),
            answered("a1", "two"),
        ]
    )
    return place


async def test_S5_a_place_that_was_picked_is_there_after_reopening(place: Place) -> None:
    before = place.session.read_bytes()
    async with place.window() as window:
        events = recorded(window)
        switched = await Switcher(window).switch("a0")
        assert (switched.summarizer, switched.summary_entry, switched.editor_text) == ("none", None, None)
        assert switched.leaf_id == await leaf(window)
        assert [entry.id for entry in await path(window)][:2] == ["u0", "a0"]
        assert named(events, SessionChanged)
    session = reopened(place)
    assert place.session.read_bytes().startswith(before)
    assert session.leaf_id == switched.leaf_id
    assert [entry.id for entry in session.tree.path(session.leaf_id)] == ["u0", "a0", switched.leaf_id]


async def test_a_message_of_the_user_comes_back_to_the_editor(place: Place) -> None:
    async with place.window() as window:
        switched = await Switcher(window).switch("u1")
        assert switched.editor_text == "second"
        assert [entry.id for entry in await path(window)] == ["u0", "a0", switched.leaf_id]
        switched = await Switcher(window).switch("u0")
        assert switched.editor_text == "first"
        [anchor] = await path(window)
        assert (anchor.parent_id, anchor.get("customType")) == (None, "pi-lsp.leaf")
    assert reopened(place).leaf_id == anchor.id


async def test_before_the_first_entry(place: Place) -> None:
    async with place.window() as window:
        switched = await Switcher(window).switch(None)
        assert switched.editor_text is None
        assert [entry.parent_id for entry in await path(window)] == [None]
        await window.write(lambda it: [append_message(it.session, said("", "anew")["message"])])
        assert [entry.type for entry in await path(window)] == ["custom", "message"]


async def test_where_the_leaf_is_already_nothing_is_written_but_a_label(place: Place) -> None:
    before = place.session.read_bytes()
    async with place.window() as window:
        assert (await Switcher(window).switch("a1")).leaf_id == "a1"
        assert place.session.read_bytes() == before
        await Switcher(window).switch("a1", label="here")
        assert await window.in_session(lambda it: it.session.tree.labels()) == {"a1": "here"}
        with pytest.raises(EntryNotFoundError):
            await Switcher(window).switch("nowhere")


async def test_the_model_summarises_what_is_left(place: Place) -> None:
    async with place.window(settings=AT_ONCE) as window:
        events = recorded(window)
        asked = speaker([text("THE BRANCH")])
        switched = await Switcher(window).switch("a0", asked, "model", instructions="mind it", label="tried")
        entry = switched.summary_entry
        assert entry is not None
        assert (entry.parent_id, entry.get("fromId"), entry.get("fromHook")) == ("a0", "a1", False)
        assert "THE BRANCH" in str(entry.get("summary"))
        assert as_object(entry.get("details")) == {"readFiles": [], "modifiedFiles": ["b.py"]}
        assert (switched.summarizer, switched.error) == ("model", None)
        assert "mind it" in prompt_of(asked)
        assert "first" not in prompt_of(asked)  # it is on both branches
        assert await window.in_session(lambda it: it.session.tree.labels()) == {entry.id: "tried"}
        assert switched.leaf_id == await leaf(window)
        assert len(named(events, BranchSummaryStart)) == len(named(events, BranchSummaryEnd)) == 1
    assert reopened(place).leaf_id == switched.leaf_id


async def test_a_label_alone_stands_for_the_anchor(place: Place) -> None:
    async with place.window() as window:
        switched = await Switcher(window).switch("a0", label="tried")
        [*_, entry] = await path(window)
        assert (entry.type, entry.parent_id, entry.get("targetId")) == ("label", "a0", "a0")
    assert reopened(place).leaf_id == switched.leaf_id == entry.id


async def test_locally_by_wish_and_where_the_model_fails(place: Place) -> None:
    async with place.window(settings=AT_ONCE) as window:
        events = recorded(window)
        switched = await Switcher(window).switch("a0", speaker([ScriptedAnswer(error="overloaded")]), "model")
        assert (switched.summarizer, switched.error) == ("local", "Summarization failed: overloaded")
        assert named(events, BranchSummaryEnd)[0].error == switched.error
        assert switched.summary_entry is not None
        assert as_object(switched.summary_entry.get("details"))["summarizer"] == "local"
        assert "b.py" in str(switched.summary_entry.get("summary"))
        asked = speaker([text("S")])
        switched = await Switcher(window).switch("a1", asked, "local")
        assert (switched.summarizer, switched.error) == ("local", None)
        assert provider_of(asked).requests == []


async def test_file_lists_add_up_from_branch_to_branch(place: Place) -> None:
    async with place.window(settings=AT_ONCE) as window:
        await Switcher(window).switch("a0", speaker([text("S")]), "model")
        later = [edited("e2", "c.py"), done("r2", "e2"), answered("a2", "three")]
        await window.write(lambda it: [append_message(it.session, entry["message"]) for entry in later])
        switched = await Switcher(window).switch("u0", speaker([text("S")]), "model")
        assert switched.summary_entry is not None
        assert as_object(switched.summary_entry.get("details"))["modifiedFiles"] == ["b.py", "c.py"]


async def test_C5_an_abort_while_summarising_writes_nothing(place: Place) -> None:
    before = place.session.read_bytes()
    async with place.window() as window:
        events = recorded(window)
        asked = speaker([ScriptedAnswer(text="slow " * 200, pause_s=0.01)])
        task = asyncio.create_task(Switcher(window).switch("a0", asked, "model", label="L"))
        await until(lambda: provider_of(asked).requests)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [event.cancelled for event in named(events, BranchSummaryEnd)] == [True]
        assert await leaf(window) == "a1"
    assert place.session.read_bytes() == before


async def test_S4_from_a_leaf_with_an_open_call_the_next_request_is_valid(place: Place) -> None:
    async with place.window() as window:
        await Switcher(window).switch("e1")
        await window.write(lambda it: [append_message(it.session, said("", "go on")["message"])])
        view = await window.in_session(lambda it: it.view(it.leaf_id, window.prompt_parts(), SONNET))
    assert violations(request_body(view.request_messages, SONNET), SONNET) == []
    assert [entry.id for entry in view.path][:4] == ["u0", "a0", "u1", "e1"]


async def test_S2_a_label_goes_behind_the_tip_and_moves_no_other_branch(place: Place) -> None:
    async with place.window() as window:
        await label_entry(window, "u0", "start")
        assert (await path(window))[-1].type == "label"  # it stood at the tip, and still does
        await window.in_session(lambda it: it.session.move("a0"))
        tip = await window.in_session(lambda it: it.session.tree.leaf_id)
        entry = await label_entry(window, "u0", "beginning")
        assert entry.parent_id == tip
        assert await leaf(window) == "a0"
        assert reopened(place).tree.labels() == {"u0": "beginning"}
        await label_entry(window, "u0", None)
        assert reopened(place).tree.labels() == {}
        with pytest.raises(EntryNotFoundError):
            await label_entry(window, "nowhere", "x")
    whole = reopened(place)
    assert [one.id for one in whole.tree.path(whole.leaf_id)][:6] == ["u0", "a0", "u1", "e1", "r1", "a1"]


async def test_S2_a_label_follows_what_another_program_has_appended(place: Place) -> None:
    async with place.window() as window:
        foreign = {"parentId": "a1", "timestamp": "2026-01-01T00:00:00.000Z", **said("new", "from the terminal")}
        with place.session.open("a") as file:
            file.write(encode(foreign) + "\n")
        assert (await label_entry(window, "u0", "start")).parent_id == "new"


async def test_hooks_forbid_summarise_and_are_told(place: Place) -> None:
    told: list[Any] = []

    async def forbid(switch: Switch) -> SwitchDecision:
        return SwitchDecision(cancel=True)

    async def own(switch: Switch) -> SwitchDecision:
        return SwitchDecision(summary=GivenSummary(summary="MINE"))

    async def after(switch: Switch, navigation: Navigation) -> None:
        told.append((switch.old_leaf_id, navigation.leaf_id, navigation.from_hook))

    async def raises(switch: Switch) -> SwitchDecision:
        raise RuntimeError("a plugin's bug")

    before = place.session.read_bytes()
    async with place.window(settings=AT_ONCE) as window:
        switched = await Switcher(window, Seams(before_tree=forbid)).switch("a0")
        assert switched.cancelled_by_hook
        assert await leaf(window) == "a1"
        assert place.session.read_bytes() == before
        asked = speaker([text("S")])
        switched = await Switcher(window, Seams(before_tree=own, after_tree=after)).switch("a0", asked, "model")
        assert switched.summarizer == "hook"
        assert switched.summary_entry is not None
        assert told == [("a1", switched.summary_entry.id, True)]
        assert provider_of(asked).requests == []
        switched = await Switcher(window, Seams(before_tree=raises)).switch("a1", asked, "model")
        assert switched.summarizer == "model"


async def test_S7_a_switch_that_cannot_be_written_leaves_the_leaf(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with place.window() as window:

        def full(*_: object) -> None:
            raise OSError(28, "no space left on device")

        monkeypatch.setattr("pi_lsp.session.log.append_record", full)
        for options in ({}, {"wish": "local"}, {"label": "L"}):
            with pytest.raises(OSError, match="no space"):
                await Switcher(window).switch("a0", **options)  # pyright: ignore[reportArgumentType]
            assert await leaf(window) == "a1"
