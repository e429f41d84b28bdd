"""The op `fork_file` of the group branch; that group's adapter imports it."""

from pi_lsp.base.json import Json
from pi_lsp.session.fork import fork
from pi_lsp.session.index import parse_lines
from pi_lsp.session.store import Session, new_header
from tests.conformance.case import Case
from tests.conformance.session_play import file_bytes


def fork_file(case: Case) -> Json:
    path = case.write("a.jsonl", [new_header("source", "/w"), *case.input["entries"]])
    session = fork(Session.open(path, "/w"), case.input["leafId"])
    return {
        "written": session.is_saved,
        "lines": parse_lines(file_bytes(session.path)) if session.is_saved else None,
        "leafId": session.leaf_id,
    }
