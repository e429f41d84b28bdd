"""Pi and our window on one session at once: what Pi appends is followed, and nothing starts from an old tip."""

from typing import Any

import pytest

from pi_lsp.base.paths import path_to_uri
from pi_lsp.session.messages import texts_of
from tests.interop.agree import assert_we_agree
from tests.support.api_server import ApiServer
from tests.support.api_server_replies import Reply
from tests.support.editor import Editor
from tests.support.pi_rpc import PiRpc
from tests.support.rpc import RpcError, result_of
from tests.support.waiting import wait_until

LONG = "The harbour master wants the bookings sorted by tide. " * 12


@pytest.fixture
def shared(pi: PiRpc, editor: Editor, api: ApiServer) -> PiRpc:
    """A session that both have open, with a question and an answer of Pi's."""
    api.replies += [Reply(text="One.")]
    pi.prompt("one")
    editor.call("pi/session/open", {"file": path_to_uri(str(pi.file))})
    return pi


def test_what_pi_appends_is_followed(shared: PiRpc, editor: Editor, api: ApiServer) -> None:
    since = editor.seen
    api.replies += [Reply(text="Two.")]
    shared.prompt("two")
    assert editor.event("foreign_append", since)["leafMoved"]
    answer = shared.leaf_id
    editor.event("entry_appended", since, leafId=answer)
    assert editor.call("pi/state")["session"]["leafId"] == answer
    assert_we_agree(shared, editor)


def test_our_prompt_goes_on_from_what_pi_said(shared: PiRpc, editor: Editor, api: ApiServer) -> None:
    """Asked at once. Where no file watcher has told yet, the person is told before anything is said."""
    api.replies += [Reply(text="Two."), Reply(text="Three.")]
    since = editor.seen
    shared.prompt("two")
    tip = shared.leaf_id
    try:
        result = editor.call("pi/chat", {"text": "three"})
    except RpcError as error:
        assert error.data == {"reason": "staleTip"}
        assert editor.event("foreign_append", since)["leafMoved"]
        result = editor.call("pi/chat", {"text": "three"})
    assert result["stopReason"] == "done"
    entries = editor.call("pi/session/entries", {"after": tip})["entries"]
    assert entries[0]["parentId"] == tip
    assert "Two." in str(api.requests[-1].body["messages"])


def test_our_label_and_name_stand_on_what_pi_said(shared: PiRpc, editor: Editor, api: ApiServer) -> None:
    first = shared.entries()[0]["id"]
    for method, params in (
        ("pi/session/rename", {"name": "Tides"}),
        ("pi/tree/label", {"entryId": first, "label": "start"}),
    ):
        api.replies += [Reply(text="More.")]
        shared.prompt("more")
        tip = shared.leaf_id
        editor.call(method, params)
        [ours] = editor.call("pi/session/entries", {"after": tip})["entries"]
        assert ours["parentId"] == tip
        shared.call("switch_session", sessionPath=str(shared.file))
    assert (shared.state()["sessionName"], shared.labels()) == ("Tides", {first: "start"})
    assert_we_agree(shared, editor)


def test_a_run_of_ours_stays_on_its_own_branch(shared: PiRpc, editor: Editor, api: ApiServer) -> None:
    """Pi says something while our answer arrives: both branches are whole, and Pi resumes on the later one."""
    since = editor.seen
    api.replies += [Reply(text="Ours. " * 40, delay_s=0.05), Reply(text="Pi's.")]
    asked = editor.ask("pi/chat", {"text": "ours"})
    editor.event("message_delta", since)
    shared.prompt("Pi's own")
    pis = shared.leaf_id
    assert editor.answer(asked)["result"]["stopReason"] == "done"
    shared.call("switch_session", sessionPath=str(shared.file))
    seen = assert_we_agree(shared, editor)
    said = [entry.id for entry in seen.path(seen.leaf_id)]
    assert pis not in said
    assert {"Ours. " * 40, "Pi's."} <= {text for entry in seen.session.tree for text in texts_of(entry.message)}


def test_pi_says_something_while_we_compact(shared: PiRpc, editor: Editor, api: ApiServer) -> None:
    """What Pi said meanwhile is neither summarised away nor left beside."""
    api.replies += [Reply(text=f"Two. {LONG}"), Reply(text=f"Three. {LONG}")]
    shared.prompt(f"two {LONG}")
    shared.prompt(f"three {LONG}")
    editor.call("pi/state")
    _say_meanwhile(shared, editor, api, "pi/compact", {})
    seen = assert_we_agree(shared, editor)
    [compaction] = [entry for entry in seen.path(seen.leaf_id) if entry.type == "compaction"]
    assert "Pi's." in [text for message in shared.messages() for text in texts_of(message)]
    assert any(entry.parent_id == compaction.id for entry in seen.session.tree) or compaction.id == seen.leaf_id


def test_pi_says_something_while_we_switch(shared: PiRpc, editor: Editor, api: ApiServer) -> None:
    """What Pi said stays in the file, on its own branch."""
    first = next(entry["id"] for entry in shared.entries() if (entry.get("message") or {}).get("role") == "user")
    editor.call("pi/state")
    moved = _say_meanwhile(shared, editor, api, "pi/tree/switch", {"targetId": first, "summarizer": "model"})
    seen = assert_we_agree(shared, editor)
    assert seen.leaf_id == moved["leafId"]
    assert any("Pi's." in texts_of(entry.message) for entry in seen.session.tree)


def _say_meanwhile(pi: PiRpc, editor: Editor, api: ApiServer, method: str, params: dict[str, Any]) -> Any:
    """Pi speaks while we wait for a summary; gives our result once Pi has opened the file anew."""
    api.replies += [Reply(text="## Goal\nOne and two.", wait_s=1.5), Reply(text="Pi's.")]
    asked = len(api.requests)
    request = editor.ask(method, params)
    wait_until(lambda: len(api.requests) > asked)  # it has taken its reply
    pi.prompt("Pi's own")
    result = result_of(editor.answer(request))
    assert result["stopReason"] == "done"
    pi.call("switch_session", sessionPath=str(pi.file))
    return result
