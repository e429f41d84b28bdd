"""§5, §6: session files, and the context that comes out of them."""

from typing import Any

from msgspec import UNSET

from pi_lsp.base.json import Json, JsonObject
from pi_lsp.context.prompt_state import current_system
from pi_lsp.context.select import select
from pi_lsp.session import actions
from pi_lsp.session.errors import InvalidSessionError, SessionError
from pi_lsp.session.fork import fork
from pi_lsp.session.index import Index, parse_lines, read_header, read_values
from pi_lsp.session.location import SessionIdError
from pi_lsp.session.migrate import entries_of
from pi_lsp.session.migrate import migrate as migrate_values
from pi_lsp.session.source import Source
from pi_lsp.session.store import Session
from pi_lsp.session.tree import Tree
from tests.conformance.adapters import session_context_select
from tests.conformance.case import Case, raw_bytes
from tests.conformance.session_play import file_bytes, file_change, json_lines, play
from tests.conformance.shapes import drop_none, error_of, pick, to_json


def context(case: Case) -> Json:
    if "raw" in case.input:
        bodies = [entry.body for entry in entries_of(parse_lines(raw_bytes(case.input["raw"])))]
        case = Case(input={**case.input, "entries": bodies}, root=case.root, tmp=case.tmp)
    return session_context_select.context(case)


def load_file(case: Case) -> Json:
    path = case.session_file(case.input["raw"])
    before = file_bytes(path)
    try:
        index = Index(Source(path).read)
        entries = [read_header(index, path).header, *read_values(index)]
    except InvalidSessionError:
        entries = []
    return {"entries": entries, **file_change(path, before)}


def parse(case: Case) -> Json:
    return {"entries": parse_lines(raw_bytes(case.input["content"]))}


def migrate(case: Case) -> Json:
    return {"entries": migrate_values(case.input["entries"])}


def manager(case: Case) -> Json:
    try:
        return _played(_open(case), case)
    except (SessionError, SessionIdError) as error:
        return error_of(error)


def _open(case: Case) -> Session:
    cwd = case.input.get("cwd", "/home/dev/project")
    if "raw" in case.input:
        return Session.open(case.session_file(case.input["raw"]), cwd)
    options = case.input["create"] if isinstance(case.input["create"], dict) else {}
    parent = case.paths(options.get("parentSession"))
    return Session.new(case.path("$ROOT/sess"), cwd, session_id=options.get("id"), parent_session=parent)


def _played(session: Session, case: Case) -> JsonObject:
    sessions = [session]

    def perform(name: str, *arguments: Any) -> JsonObject:
        result = drop_none({"result": _ACTIONS[name](sessions, *arguments)})
        return {**result, "fileExists": file_bytes(sessions[-1].path) is not None}

    steps = play(case.input.get("actions", []), perform, lambda: sessions[-1].leaf_id, (SessionError,))
    _, *forks = sessions
    return {"steps": steps, **_state(sessions[-1]), **(_original(session, case) if forks else {})}


def _original(session: Session, case: Case) -> JsonObject:
    if "raw" not in case.input:
        return {}
    return {"originalFileUnchanged": not file_change(session.path, raw_bytes(case.input["raw"]))["fileChanged"]}


def _state(session: Session) -> JsonObject:
    tree = session.tree
    labels = tree.labels()
    path = tree.path(session.leaf_id)
    projection = select(path)
    return {
        "sessionId": session.header["id"],
        **pick(session.header, "cwd"),
        "leafId": session.leaf_id,
        "name": tree.name,
        "entryCount": len(tree),
        "branch": [entry.id for entry in path],
        "tree": _nodes(tree, labels, None),
        "labels": [[target, label] for target, label in labels.items()],
        "context": {
            "roles": [message.get("role") for message in projection.messages],
            "thinkingLevel": projection.thinking_level,
            "model": to_json(projection.model),
        },
        "file": json_lines(session.path),
    }


def _nodes(tree: Tree[Any], labels: dict[str, str], parent: str | None) -> list[Json]:
    return [
        {"id": entry.id, "children": _nodes(tree, labels, entry.id), **drop_none({"label": labels.get(entry.id)})}
        for entry in tree.children(parent)
    ]


def _move(sessions: list[Session], target: str | None = None) -> None:
    sessions[-1].move(target)


def _fork(sessions: list[Session], leaf: str) -> str | None:
    sessions.append(fork(sessions[-1], leaf))
    return sessions[-1].path


def _message(sessions: list[Session], message: Any) -> str:
    return actions.append_message(sessions[-1], message).id


def _thinking_level(sessions: list[Session], level: str) -> str:
    return actions.append_thinking_level(sessions[-1], level).id


def _model(sessions: list[Session], provider: str, model: str) -> str:
    return actions.append_model(sessions[-1], provider, model).id


def _custom(sessions: list[Session], kind: str, data: Any = UNSET) -> str:
    return actions.append_custom(sessions[-1], kind, data).id


def _custom_message(
    sessions: list[Session], kind: str, content: Any, display: Any = UNSET, details: Any = UNSET
) -> str:
    return actions.append_custom_message(sessions[-1], kind, content, display=display, details=details).id


def _name(sessions: list[Session], name: str) -> str:
    return actions.append_name(sessions[-1], name).id


def _label(sessions: list[Session], target: str, label: Any = UNSET) -> str:
    return actions.append_label(sessions[-1], target, label).id


def _edit(sessions: list[Session], target: str, replacement: Any) -> str:
    return actions.append_context_edit(sessions[-1], target, replacement).id


def _compaction(
    sessions: list[Session], summary: str, kept: str | None, tokens: int, details: Any = UNSET, hook: Any = UNSET
) -> str:
    session = sessions[-1]
    system = current_system(select(session.tree.path(session.leaf_id)).messages)
    extra = {"system_message": system, "details": details, "from_hook": hook}
    return actions.append_compaction(session, summary, kept, tokens, **extra).id


def _branch(sessions: list[Session], target: str | None, summary: str, details: Any = UNSET, hook: Any = UNSET) -> str:
    return actions.branch_with_summary(sessions[-1], target, summary, details=details, from_hook=hook).id


_ACTIONS = {
    "branch": _move,
    "resetLeaf": _move,
    "createBranchedSession": _fork,
    "appendMessage": _message,
    "appendThinkingLevelChange": _thinking_level,
    "appendModelChange": _model,
    "appendCustomEntry": _custom,
    "appendCustomMessageEntry": _custom_message,
    "appendSessionInfo": _name,
    "appendLabelChange": _label,
    "appendContextEdit": _edit,
    "appendCompaction": _compaction,
    "branchWithSummary": _branch,
}
