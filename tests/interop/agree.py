"""Whether both programs see the same in one session file."""

import json
from pathlib import Path
from typing import Any

from pi_lsp.agent.conversation import Conversation
from pi_lsp.base.json import to_utf8
from pi_lsp.base.paths import path_to_uri
from pi_lsp.context.prompt import PromptParts
from pi_lsp.session.messages import texts_of
from pi_lsp.session.store import Session
from tests.support.editor import Editor
from tests.support.pi_rpc import PiRpc

ALL = 100_000


def assert_we_agree(pi: PiRpc, editor: Editor, file: Path | None = None) -> Conversation:
    """We see what Pi sees in the file that it has open, and leave it as it is. Gives what we see.

    Once with the modules that read a session, once with the server, as an editor asks it.
    """
    file = file or pi.file
    before = file.read_bytes()
    messages, entries, labels = pi.messages(), pi.entries(), pi.labels()
    leaf_id, name = pi.leaf_id, pi.state().get("sessionName")

    conversation = Conversation(Session.open(str(file), str(editor.home.workspace)))
    view = conversation.view(conversation.leaf_id, PromptParts(cwd=str(editor.home.workspace)))
    assert view.projection.messages == messages
    assert [entry.body for entry in conversation.session.tree] == entries
    assert conversation.session.log and conversation.session.log.problems == []
    assert (conversation.leaf_id, conversation.session.tree.name) == (leaf_id, name)

    state = editor.call("pi/session/open", {"file": path_to_uri(str(file))})["state"]
    assert (state["session"]["leafId"], state["session"].get("name")) == (leaf_id, name)
    assert state["session"]["entries"] == len(entries)
    assert editor.call("pi/session/entries", {"limit": ALL})["entries"] == _on_the_wire(entries)
    tree = editor.call("pi/tree", {"filter": "all", "limit": ALL})
    assert tree["leafId"] == leaf_id
    assert {node["id"]: node["label"] for node in tree["nodes"] if "label" in node} == labels
    assert {node["id"] for node in tree["nodes"]} == {entry["id"] for entry in entries}
    _assert_request_holds(editor, messages)

    assert file.read_bytes() == before, "reading has changed the file"
    return conversation


def assert_pi_agrees(pi: PiRpc, editor: Editor, file: Path) -> Conversation:
    """Pi opens a file that we wrote and sees what we see in it: the same messages, the same leaf.

    Opening adds nothing, but for Pi's statement of model and thinking level where the path has none.
    """
    before = file.read_bytes()
    ours = Conversation(Session.open(str(file), str(editor.home.workspace)))
    path = ours.path(ours.leaf_id)
    messages = ours.view(ours.leaf_id, PromptParts(cwd="")).projection.messages
    pi.call("switch_session", sessionPath=str(file))
    assert pi.messages() == messages
    if any(entry.type == "thinking_level_change" for entry in path):
        assert pi.leaf_id == ours.leaf_id
        assert file.read_bytes() == before, "Pi has changed the file by opening it"
    else:
        added = pi.entries()[len(ours.session.tree) :]
        assert {entry["type"] for entry in added} <= {"model_change", "thinking_level_change"}
        assert added[0]["parentId"] == ours.leaf_id
        assert file.read_bytes().startswith(before)
    return assert_we_agree(pi, editor, file)


def _assert_request_holds(editor: Editor, messages: list[dict[str, Any]]) -> None:
    """`pi/context` gives the request, and the user's last words are in it."""
    context = editor.call("pi/context", {"full": True})
    assert context["total"] > 0
    sent = [text for message in context["request"]["messages"] for text in texts_of(message)]
    said = [text for message in messages if message["role"] == "user" for text in texts_of(message)]
    assert not said or said[-1] in sent


def _on_the_wire(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As a client can read them: a lone surrogate is no text in JSON, for most programs."""
    return json.loads(to_utf8(json.dumps(entries, ensure_ascii=False)))
