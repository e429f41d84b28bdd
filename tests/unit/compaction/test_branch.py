import pytest

from pi_lsp.base.json import JsonObject
from pi_lsp.compaction.branch import NOTHING_TO_SUMMARIZE, collect, conclude_branch, prepare_branch, summarize_branch
from pi_lsp.compaction.reply import SummaryAbortedError, SummaryError
from pi_lsp.compaction.result import Summary
from pi_lsp.context.wording import WORDING
from pi_lsp.llm.contract import CompletionRequest
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message, role_of
from pi_lsp.session.tree import Tree
from tests.unit.compaction.sessions import assistant, call, chain, compaction, edit, result, units, user

TRUNK = chain(user("root"), assistant("a"))


def fork() -> Tree[Entry]:
    """e0, e1, then e2, e3 and, beside them, f2."""
    left = chain(user("left"), assistant("l"), after=TRUNK)
    right = Entry.of({**user("right"), "id": "f2", "parentId": "e1"})
    return Tree([*left, right])


def summary_of(text: str, **fields: str | JsonObject | bool) -> JsonObject:
    return {"type": "branch_summary", "fromId": "root", "summary": text, **fields}


@pytest.mark.parametrize(
    ("old", "target", "ids", "ancestor"),
    [
        ("e3", "f2", ["e2", "e3"], "e1"),
        ("e3", "e0", ["e1", "e2", "e3"], "e0"),
        ("e1", "e3", [], "e1"),
        ("e3", "nowhere", ["e0", "e1", "e2", "e3"], None),
        ("nowhere", "e1", [], None),
        (None, "e1", [], None),
    ],
)
def test_what_stays_behind(old: str | None, target: str, ids: list[str], ancestor: str | None) -> None:
    left = collect(fork(), old, target)
    assert ([entry.id for entry in left.entries], left.common_ancestor_id) == (ids, ancestor)


def test_S13_a_cycle_ends() -> None:
    tree = Tree(
        [Entry.of({**user("a"), "id": "a", "parentId": "b"}), Entry.of({**user("b"), "id": "b", "parentId": "a"})]
    )
    assert [entry.id for entry in collect(tree, "b", "nowhere").entries] == ["a", "b"]


def test_newest_first_until_the_budget_is_full() -> None:
    path = chain(
        assistant("", call("1", "read", path="too old")),
        assistant(units(10), call("2", "edit", path="one over")),
        user(units(10)),
        result("x", units(99)),
        assistant(units(10)),
    )
    preparation = prepare_branch(path, 20)
    assert [role_of(message) for message in preparation.messages] == ["user", "assistant"]
    assert preparation.total_tokens == 20
    assert preparation.file_ops.edited == ("one over",)
    assert preparation.file_ops.read == ()
    assert len(prepare_branch(path).messages) == 4
    assert len(prepare_branch(path, -1).messages) == 4


@pytest.mark.parametrize(("weight", "taken"), [(89, True), (90, False)])
def test_a_summary_is_squeezed_in_below_nine_tenths(weight: int, taken: bool) -> None:
    path = chain(user("u"), compaction(units(50), "e0"), user(units(weight)))
    assert (len(prepare_branch(path, 100).messages) == 2) is taken


def test_edits_and_earlier_lists_count() -> None:
    path = chain(
        summary_of("S", details={"readFiles": ["r"], "modifiedFiles": ["m"]}),
        user("secret"),
        user("wrong"),
        edit("e1"),
        edit("e2", {"content": "right"}),
    )
    preparation = prepare_branch(path)
    assert [message.get("content") for message in preparation.messages] == [None, "right"]
    assert (preparation.file_ops.read, preparation.file_ops.edited) == (("r",), ("m",))


def answering(message: Message, asked: list[CompletionRequest]):
    async def complete(request: CompletionRequest) -> Message:
        asked.append(request)
        return message

    return complete


async def test_the_summary_is_introduced_and_ends_with_the_files() -> None:
    asked: list[CompletionRequest] = []
    path = chain(user("try it"), assistant("", call("1", "write", path="new.py")))
    done = await summarize_branch(path, answering({"role": "assistant", "content": "TRIED"}, asked), instructions="x")
    assert done.summary == (f"{WORDING.branch_preamble}\n\nTRIED\n\n<modified-files>\nnew.py\n</modified-files>")
    assert asked[0].prompt.endswith(f"</conversation>\n\n{WORDING.summary_branch}\n\nAdditional focus: x")
    await summarize_branch(path, answering({"content": "x"}, asked), instructions="only", replace_instructions=True)
    assert asked[1].prompt.endswith("</conversation>\n\nonly")


async def test_a_branch_without_messages_asks_nobody() -> None:
    asked: list[CompletionRequest] = []
    done = await summarize_branch(chain({"type": "label"}, result("c")), answering({}, asked))
    assert (done.summary, done.files, asked) == (NOTHING_TO_SUMMARIZE, None, [])


async def test_failures() -> None:
    with pytest.raises(SummaryAbortedError):
        await summarize_branch(TRUNK, answering({"stopReason": "aborted"}, []))
    with pytest.raises(SummaryError, match="Branch summarization failed: no"):
        await summarize_branch(TRUNK, answering({"stopReason": "error", "errorMessage": "no"}, []))


def test_a_local_summary_is_concluded_the_same_way() -> None:
    done = conclude_branch(prepare_branch(TRUNK), Summary(text="T", summarizer="local"))
    assert (done.summary, done.summarizer) == (f"{WORDING.branch_preamble}\n\nT", "local")
