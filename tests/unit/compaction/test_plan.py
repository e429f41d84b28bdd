from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.base.json import JsonObject
from pi_lsp.compaction.plan import Preparation, ends_in_compaction, prepare
from pi_lsp.context.select import Selected, select
from pi_lsp.resources.settings import CompactionSettings
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import text_of
from tests.unit.compaction.sessions import assistant, call, chain, compaction, edit, result, said, units, user


def prepared(path: list[Entry], keep: int) -> Preparation:
    preparation = prepare(path, CompactionSettings(keep_recent_tokens=keep))
    assert preparation is not None
    return preparation


def ids(entries: Sequence[Selected]) -> list[str]:
    return [selected.entry.id for selected in entries]


def test_whole_turns_and_the_first_part_of_a_split_one() -> None:
    path = chain(
        said({"role": "system", "content": "prompt"}),
        user("first"),
        assistant("done"),
        user("second"),
        assistant("", call("c", "read", path="a.py")),
        result("c"),
        assistant(units(10)),
    )
    preparation = prepared(path, 10)
    assert ids(preparation.summarized) == ["e0", "e1", "e2"]
    assert ids(preparation.turn_prefix) == ["e3", "e4", "e5"]
    assert ids(preparation.kept) == ["e6"]
    assert preparation.is_split_turn
    assert [text_of(message) for message in preparation.messages_to_summarize] == ["first", "done"]
    assert preparation.file_ops.read == ("a.py",)
    assert preparation.system_message is not None
    assert text_of(preparation.system_message) == "prompt"


def test_nothing_to_do() -> None:
    path = chain(user("u"), assistant("a"))
    assert prepare([]) is None
    assert prepare(path) is None
    compacted = chain(compaction("S", "e1"), after=path)
    assert ends_in_compaction(compacted)
    assert prepare(compacted, CompactionSettings(keep_recent_tokens=0)) is None


def test_an_entry_without_an_id_cannot_be_the_first_kept() -> None:
    path = [Entry.of({**user(units(5)), "id": "a"}), Entry.of({**user(units(5)), "parentId": "a"})]
    assert prepare(path, CompactionSettings(keep_recent_tokens=5)) is None


def test_C1_a_second_compaction_summarises_what_the_first_had_kept() -> None:
    path = chain(user("one"), assistant("1"), user("kept by the first"), assistant("2"))
    path = chain(compaction("S1", "e2", details={"readFiles": ["r"], "modifiedFiles": ["m"]}), after=path)
    path = chain(user("later"), assistant(units(9)), after=path)
    preparation = prepared(path, 10)
    texts = [text_of(message) for message in preparation.messages_to_summarize]
    assert texts == ["kept by the first", "2"]
    assert preparation.previous_summary == "S1"
    assert ids(preparation.kept) == ["e5", "e6"]
    assert (preparation.file_ops.read, preparation.file_ops.edited) == (("r",), ("m",))


def test_a_summary_that_was_edited_away_is_no_previous_summary() -> None:
    path = chain(user("a"), compaction("S", "e0"), edit("e1"), user("b"), user(units(9)))
    preparation = prepared(path, 9)
    assert preparation.previous_summary is None
    assert preparation.file_ops.read == ()


def test_a_hooks_file_lists_are_not_carried_on() -> None:
    details: JsonObject = {"readFiles": ["r"], "modifiedFiles": []}
    path = chain(user("a"), compaction("S", "e0", fromHook=True, details=details), user("b"), user(units(9)))
    assert prepared(path, 9).file_ops.read == ()


def test_edits_count() -> None:
    path = chain(user("secret"), assistant("a"), edit("e0", {"content": "told"}), edit("e1"), user("b"), user(units(9)))
    texts = [text_of(message) for message in prepared(path, 9).messages_to_summarize]
    assert texts == ["told", "b"]


_BODIES = st.sampled_from(
    [
        *(user("u"), user(units(7)), assistant(units(5)), result("c", units(9)), {"type": "label"}),
        *(assistant("", call("c", "edit", path="p")), said({"role": "system", "content": units(4)})),
        *(edit("e1"), compaction("S", "e2")),
    ]
)


@given(st.lists(_BODIES, max_size=25), st.integers(0, 60))
def test_nothing_falls_between_the_groups(bodies: list[JsonObject], keep: int) -> None:
    path = chain(*bodies)
    preparation = prepare(path, CompactionSettings(keep_recent_tokens=keep))
    if preparation is None:
        return
    groups = preparation.summarized + preparation.turn_prefix + preparation.kept
    entries = select(path).entries
    assert ids(groups) == ids(entries[len(entries) - len(groups) :])
    assert len(entries) - len(groups) <= 1
    assert preparation.kept[0].entry.id == preparation.first_kept_entry_id
    assert bool(preparation.turn_prefix) == preparation.is_split_turn
    assert preparation.messages_to_summarize or preparation.turn_prefix_messages
