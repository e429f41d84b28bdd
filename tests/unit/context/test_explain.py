"""Why the model does or does not know something, over sessions made by hand."""

import tempfile
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent.view import View
from pi_lsp.api.explain import searched as searched_of
from pi_lsp.base.json import encode
from pi_lsp.context.explain import Found, Searched, explain_entry, explain_query
from pi_lsp.context.explain_hits import Document, Hit, Restore
from pi_lsp.context.explain_spill import read_spill
from pi_lsp.context.prompt import PromptParts
from pi_lsp.session.entries import Entry
from pi_lsp.session.log import SessionLog
from pi_lsp.session.tree import Tree


def said(entry_id: str, parent: str | None, text: str = "", **message: Any) -> Entry:
    message = {"role": "user", "content": [{"type": "text", "text": text}], **message}
    return Entry.of({"type": "message", "id": entry_id, "parentId": parent, "message": message})


def entry(kind: str, entry_id: str, parent: str | None, **fields: Any) -> Entry:
    return Entry.of({"type": kind, "id": entry_id, "parentId": parent, **fields})


def searched(tree: Tree[Entry], leaf_id: str | None = "") -> Searched:
    leaf_id = tree.leaf_id if leaf_id == "" else leaf_id
    return searched_of(tree, View(tree.path(leaf_id), PromptParts(cwd="/project")))


def find(session: Searched, query: str, *documents: Document, limit: int = 50) -> Found:
    return explain_query(session, documents, query, limit, read_spill=read_spill)


def told(hits: list[Hit]) -> list[tuple[str | None, str, str | None, str | None]]:
    return [(hit.entry_id, hit.fate, hit.stage, hit.by) for hit in hits]


def test_a_compaction_is_named_and_whether_its_summary_still_holds_the_text() -> None:
    tree = Tree(
        [
            said("a", None, "the Kiosk is old"),
            said("b", "a", "months in full"),
            entry("compaction", "c", "b", summary="An old kiosk.", firstKeptEntryId="c"),
            said("d", "c", "go on"),
        ]
    )
    kiosk, months = find(searched(tree), "kiosk"), find(searched(tree), "months")
    assert told(kiosk.hits) == [("a", "absent", "compaction", "c"), ("c", "sent", None, None)]
    assert kiosk.hits[0].detail == "replaced by the compaction's summary, which still says it"
    assert kiosk.in_request
    assert months.hits[0].detail == "replaced by the compaction's summary, which does not say it"
    assert months.hits[0].restore == Restore(method="pi/context/restore", params={"entryId": "b"})
    assert not months.in_request


def test_a_branch_that_was_left_names_the_summary_that_stands_for_it() -> None:
    tree = Tree(
        [
            said("a", None, "begin"),
            said("lost", "a", "shorten departures"),
            said("lost2", "lost", "it broke"),
            entry("branch_summary", "s", "a", fromId="lost2", summary="We tried to shorten departures."),
            said("other", "a", "never summarised"),
            said("now", "s", "go on"),
        ]
    )
    hits = find(searched(tree), "shorten").hits
    assert told(hits) == [("lost", "absent", "path", "s"), ("s", "sent", None, None)]
    assert hits[0].detail.endswith("a branch summary stands for it, which still says it")
    (hit,) = find(searched(tree), "never summarised").hits
    assert (hit.stage, hit.by) == ("path", None)
    assert "after entry a" in hit.detail


def test_a_branch_summary_that_a_compaction_replaced_is_followed() -> None:
    tree = Tree(
        [
            said("a", None, "begin"),
            said("lost", "a", "shorten departures"),
            entry("branch_summary", "s", "a", fromId="lost", summary="Departures."),
            entry("compaction", "c", "s", summary="Do not shorten.", firstKeptEntryId="c"),
            said("now", "c", "go on"),
        ]
    )
    hit = explain_entry(searched(tree), tree.path("lost")[-1], "shorten")
    assert (hit.stage, hit.by) == ("path", "s")
    assert hit.detail.endswith("replaced by the compaction's summary, which still says it")


def test_what_comes_after_the_leaf_and_what_belongs_to_another_root() -> None:
    tree = Tree([said("a", None, "x"), said("b", "a", "later"), said("root", None, "x")])
    assert "comes after" in explain_entry(searched(tree, "a"), tree.path("b")[-1]).detail
    assert "another conversation" in explain_entry(searched(tree, "b"), tree.path("root")[-1]).detail
    assert "before its first entry" in explain_entry(searched(tree, None), tree.path("a")[-1]).detail


def test_edits_tell_what_is_missing_and_what_is_still_there() -> None:
    tree = Tree(
        [
            said("a", None, "alpha and beta"),
            said("b", "a", "gamma"),
            entry("context_edit", "e", "b", targetId="a", replacement={"content": "alpha and delta"}),
            entry("context_edit", "f", "e", targetId="b", replacement=None),
        ]
    )
    session = searched(tree)
    alpha, beta, delta, gamma = (find(session, query) for query in ("alpha", "beta", "delta", "gamma"))
    assert alpha.hits[0].detail == "its content was replaced by an edit; what is sent of it still says it"
    assert beta.hits[0].detail == "its content was replaced by an edit; what is sent of it does not say it"
    assert (alpha.in_request, beta.in_request) == (True, False)
    assert told(delta.hits) == [("a", "changed", "contextEdit", "e"), ("e", "absent", None, None)]
    assert told(gamma.hits) == [("b", "absent", "contextEdit", "f")]


def test_a_failed_answer_and_a_private_command_tell_why() -> None:
    failed = said("b", "a", "half an answer", role="assistant", stopReason="error")
    private = said("c", "b", role="bashExecution", command="secret", output="", excludeFromContext=True)
    tree = Tree([said("a", None, "x"), failed, private])
    assert find(searched(tree), "half").hits[0].detail == "an answer that ended as error"
    assert find(searched(tree), "secret").hits[0].detail == "a command kept from the model (!!)"


def test_of_a_stored_system_prompt_it_tells_what_is_stated_anew() -> None:
    prompt = {"role": "system", "content": "", "sections": {"docs": "Be kind.", "cwd": "old place"}}
    tree = Tree([said("p", None, **prompt), said("a", "p", "x")])
    hit = find(searched(tree), "old place").hits[0]
    assert (hit.fate, hit.stage, hit.restore) == ("changed", "convert", None)
    assert "cwd: stated anew" in hit.detail
    assert hit.detail.endswith("does not say it")
    changed = said("q", "a", role="system", content="", sections={"docs": "Be brief."})
    tree = Tree([said("p", None, role="system", content="", sections={"docs": "Be kind."}), said("a", "p"), changed])
    assert told(find(searched(tree), "kind").hits) == [("p", "absent", "convert", "q")]


def test_a_compaction_tells_its_summary_from_the_prompt_that_it_stores() -> None:
    prompt = {"role": "system", "content": "", "sections": {"cwd": "old place"}}
    tree = Tree([said("a", None, "x"), entry("compaction", "c", "a", summary="S", systemMessage=prompt)])
    assert told(find(searched(tree), "S").hits)[-1] == ("c", "sent", None, None)
    (hit,) = find(searched(tree), "old place").hits
    assert (hit.fate, hit.stage) == ("changed", "convert")
    assert hit.detail.endswith("does not say it")
    assert explain_entry(searched(tree), tree.path("c")[-1]).fate == "sent"


def test_labels_and_names_come_last() -> None:
    tree = Tree(
        [
            said("a", None, "kiosk"),
            entry("label", "l", "a", targetId="a", label="kiosk"),
            entry("session_info", "n", "l", name="The kiosk"),
        ]
    )
    assert told(find(searched(tree), "kiosk").hits) == [
        ("a", "sent", None, None),
        ("n", "absent", None, None),
        ("l", "absent", None, None),
    ]


def test_the_newest_come_first_and_the_limit_is_told() -> None:
    tree = Tree([said(f"e{n}", None, "same") for n in range(9)])
    found = find(searched(tree, "e3"), "same", limit=4)
    assert [hit.entry_id for hit in found.hits] == ["e8", "e7", "e6", "e5"]
    assert (found.more, found.in_request) == (True, True)
    assert not find(searched(tree), "same", limit=9).more


def test_documents_show_the_line_and_what_keeps_them_out() -> None:
    load = Restore(method="pi/rules/load", params={"uris": ["file:///r"]})
    text = "# Rules\nUse moment.\n"
    tree = Tree([said("a", None, "x")])
    out = Document(uri="file:///r", text=text, sent=(), stage="rule", by="file:///s", detail="shadowed", restore=load)
    sent = Document(uri="file:///t", text=text, sent=(text,), stage="rule", detail="")
    first, second = find(searched(tree), "MOMENT", sent, out).hits
    assert first.range
    assert (first.uri, first.range.start.line, first.range.end.character) == ("file:///r", 1, 11)
    assert (first.fate, first.stage, first.by, first.restore) == ("absent", "rule", "file:///s", load)
    assert (second.uri, second.fate, second.stage) == ("file:///t", "sent", None)


@pytest.fixture
def spilled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = tmp_path / "pi-bash-1.log"
    path.write_text("one\nthe lost error\n" + "end\n" * 3)
    return str(path)


def test_what_was_cut_from_an_output_is_found_in_its_spill_file(spilled: str) -> None:
    call = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {}}
    notice = f"end\n\n[Showing lines 3-5 of 5. Full output: {spilled}]"
    tree = Tree(
        [
            said("u", None, "x"),
            said("a", "u", role="assistant", content=[call]),
            said("r", "a", notice, role="toolResult", toolCallId="c"),
        ]
    )
    (hit,) = find(searched(tree), "lost error").hits
    assert hit.range
    assert (hit.entry_id, hit.fate, hit.stage, hit.range.start.line) == ("r", "absent", "truncation", 1)
    assert "not sent either" not in hit.detail
    assert find(searched(tree), "end").hits[0].stage is None
    (hit,) = find(searched(tree, "u"), "lost error").hits
    assert "what was kept of it is not sent either: it comes after" in hit.detail
    assert explain_entry(searched(tree), tree.path("r")[-1]).detail.endswith(spilled)


def test_a_session_cannot_make_us_read_other_files(spilled: str, tmp_path: Path) -> None:
    (tmp_path / "secret.log").write_text("root:x:0:0")
    for path in ("/etc/passwd", str(tmp_path / "secret.log"), spilled + "/../secret.log"):
        tree = Tree([said("a", None, role="bashExecution", command="x", output="", fullOutputPath=path)])
        assert find(searched(tree), "root:").hits == []


def test_the_search_ends_once_nobody_waits() -> None:
    class GoneError(Exception):
        pass

    seen = 0

    def check() -> None:
        nonlocal seen
        seen += 1
        if seen == 3:
            raise GoneError

    tree = Tree([said(f"e{n}", None, "x") for n in range(9)])
    with pytest.raises(GoneError):
        explain_query(searched(tree), [], "x", 50, read_spill=read_spill, check=check)
    assert seen == 3


def test_a_stored_session_answers_as_one_in_memory(tmp_path: Path) -> None:
    entries = [
        said("a", None, 'say "Größe"'),
        said("b", "a", "日本\nline"),
        entry("compaction", "c", "b", summary="größe", firstKeptEntryId="c"),
        said("d", "c", "ends"),
        entry("context_edit", "e", "d", targetId="d", replacement={"content": "instead"}),
    ]
    path = tmp_path / "s.jsonl"
    header = {"type": "session", "version": 3, "id": "s", "timestamp": "", "cwd": "/"}
    path.write_text("".join(encode(line) + "\n" for line in [header, *(each.body for each in entries)]))
    stored = SessionLog.open(str(path)).tree
    for query in ('say "GRÖSSE"'[:5], "GRÖẞE", "größe", "本", "本\nline", "ends", "instead", "nothing"):
        assert find(searched(stored), query) == find(searched(Tree(entries)), query)
