from collections.abc import Sequence

import pytest

from pi_lsp.compaction.branch import BranchSummary
from pi_lsp.compaction.file_ops import FileLists
from pi_lsp.compaction.navigate import (
    GivenSummary,
    Summarize,
    Switch,
    SwitchDecision,
    SwitchOptions,
    navigate,
    plan_switch,
)
from pi_lsp.compaction.reply import SummaryAbortedError, SummaryError
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import EntryNotFoundError
from pi_lsp.session.store import Session, new_header
from tests.conformance.session_play import writing_to
from tests.unit.compaction.sessions import assistant, chain, user


def session() -> Session:
    """e0 user, e1 assistant, e2 user, e3 assistant; the leaf is e3."""
    blocks = [{"type": "text", "text": "sec"}, {"type": "image"}, {"type": "text", "text": "ond"}]
    path = chain(user("first"), assistant("a"), user([*blocks]), assistant("b"))
    return Session(new_header("s", "/w"), None, entries=path)


def switch_to(open_session: Session, target: str, options: SwitchOptions | None = None) -> Switch:
    switch = plan_switch(open_session.tree, target, open_session.leaf_id, options)
    assert switch is not None
    return switch


def summarizer(done: BranchSummary | Exception) -> Summarize:
    async def summarize(entries: Sequence[Entry], options: SwitchOptions) -> BranchSummary:
        if isinstance(done, Exception):
            raise done
        return done

    return summarize


def hook(decision: SwitchDecision):
    async def ask(switch: Switch) -> SwitchDecision:
        return decision

    return ask


@pytest.mark.parametrize(
    ("target", "leaf", "text"), [("e1", "e1", None), ("e0", None, "first"), ("e2", "e1", "second")]
)
def test_where_the_leaf_goes(target: str, leaf: str | None, text: str | None) -> None:
    switch = switch_to(session(), target)
    assert (switch.new_leaf_id, switch.editor_text) == (leaf, text)


def test_a_custom_message_is_said_anew_as_well() -> None:
    path = chain(user("u"), {"type": "custom_message", "content": "mine", "customType": "c"}, assistant("a"))
    switch = switch_to(Session(new_header("s", "/w"), None, entries=path), "e1")
    assert (switch.new_leaf_id, switch.editor_text) == ("e0", "mine")


def test_a_message_whose_parent_is_missing_was_the_first() -> None:
    orphan = Entry.of({**user("u"), "id": "a", "parentId": "gone"})
    other = Entry.of({**user("v"), "id": "b"})
    switch = switch_to(Session(new_header("s", "/w"), None, entries=[orphan, other]), "a")
    assert switch.new_leaf_id is None


def test_no_switch() -> None:
    here = session()
    assert plan_switch(here.tree, "e3", "e3") is None
    with pytest.raises(EntryNotFoundError, match="zzz"):
        plan_switch(here.tree, "zzz", "e3")


async def test_without_a_wish_nothing_is_written() -> None:
    here = session()
    done = await navigate(switch_to(here, "e1"), writing_to(here))
    assert (done.leaf_id, here.leaf_id, len(here.tree)) == ("e1", "e1", 4)


async def test_the_label_goes_on_the_summary_or_on_the_target() -> None:
    here = session()
    options = SwitchOptions(summarize=True, label="L")
    files = FileLists(read_files=("r",))
    done = await navigate(
        switch_to(here, "e1", options), writing_to(here), summarizer(BranchSummary(summary="S", files=files))
    )
    assert done.summary_entry is not None
    assert done.label_entry is not None
    body = done.summary_entry.body
    assert (body["parentId"], body["fromId"], body["fromHook"]) == ("e1", "e3", False)
    assert body["details"] == {"readFiles": ["r"], "modifiedFiles": []}
    assert "usage" not in body
    assert here.tree.labels() == {done.summary_entry.id: "L"}
    assert here.leaf_id == done.leaf_id == done.label_entry.id

    here = session()
    await navigate(switch_to(here, "e0", SwitchOptions(label="L")), writing_to(here))
    assert here.tree.labels() == {"e0": "L"}


async def test_a_hook_cancels_overrides_or_summarises() -> None:
    here = session()
    switch = switch_to(here, "e1", SwitchOptions(summarize=True, label="old"))
    cancelled = await navigate(switch, writing_to(here), ask_hooks=hook(SwitchDecision(cancel=True)))
    assert (cancelled.cancelled, here.leaf_id, len(here.tree)) == (True, "e3", 4)

    given = SwitchDecision(summary=GivenSummary(summary="HOOK"), label="new")
    done = await navigate(switch, writing_to(here), ask_hooks=hook(given))
    assert done.from_hook
    assert done.summary_entry is not None
    assert done.summary_entry.get("summary") == "HOOK"
    assert list(here.tree.labels().values()) == ["new"]

    here = session()
    done = await navigate(switch_to(here, "e1"), writing_to(here), ask_hooks=hook(given))
    assert done.summary_entry is None
    assert not done.from_hook


async def test_a_failed_or_aborted_summary_leaves_the_session_as_it_was() -> None:
    here = session()
    switch = switch_to(here, "e1", SwitchOptions(summarize=True, label="L"))
    aborted = await navigate(switch, writing_to(here), summarizer(SummaryAbortedError("stop")))
    assert (aborted.cancelled, aborted.aborted) == (True, True)
    with pytest.raises(SummaryError):
        await navigate(switch, writing_to(here), summarizer(SummaryError("no")))
    assert (here.leaf_id, len(here.tree)) == ("e3", 4)


async def test_S7_a_label_that_cannot_be_written_leaves_the_leaf() -> None:
    class Full(Session):
        def append(self, *args: object, **kwargs: object) -> Entry:
            raise OSError("no space left")

    here = Full(new_header("s", "/w"), None, entries=chain(user("u"), assistant("a"), assistant("b")))
    with pytest.raises(OSError, match="no space"):
        await navigate(switch_to(here, "e1", SwitchOptions(label="L")), writing_to(here))
    assert here.leaf_id == "e2"
