from pi_lsp.base.json import JsonObject
from pi_lsp.compaction.plan import prepare
from pi_lsp.compaction.preview import preview
from pi_lsp.compaction.result import Summary, conclude
from pi_lsp.resources.settings import CompactionSettings
from tests.unit.compaction.sessions import assistant, call, chain, result, said, units, user


def test_the_preview_names_every_entry_once_and_where_it_goes() -> None:
    change: JsonObject = {"type": "model_change", "provider": "p", "modelId": "m"}
    path = chain(
        said({"role": "system", "content": units(10)}),
        *(user("old"), assistant("", call("c", "read", path="a.py")), result("c", units(50)), change),
        *(user("new"), assistant("", call("d", "edit", path="b.py")), result("d"), assistant(units(9))),
    )
    preparation = prepare(path, CompactionSettings(keep_recent_tokens=9))
    assert preparation is not None
    shown = preview(preparation, conclude(preparation, Summary(text="S", summarizer="local")))
    assert [ref.entry_id for ref in shown.summarized] == ["e1", "e2", "e3"]
    assert [ref.entry_id for ref in shown.turn_prefix] == ["e5", "e6", "e7"]
    assert [ref.entry_id for ref in shown.kept] == ["e8"]
    assert [(ref.type, ref.role, ref.tokens) for ref in shown.kept] == [("message", "assistant", 9)]
    assert shown.summarized[0].preview == "old"
    assert (shown.read_files, shown.modified_files) == (("a.py",), ("b.py",))
    assert shown.local_summary.startswith("S\n\n<read-files>")
    assert 10 + 9 < shown.tokens_after < shown.tokens_before
    assert (shown.split_turn, shown.first_kept_entry_id) == (True, "e8")
