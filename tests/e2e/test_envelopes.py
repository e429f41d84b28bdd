"""What a client may do wrong around a message: each request is answered all the same, and nothing is done twice."""

import json
import sys
from typing import Any

import pytest

from tests.support.editor import Editor, Home
from tests.support.rpc import RpcError

INVALID_REQUEST = -32600
A_HOVER = {"textDocument": {"uri": "file:///x"}, "position": {"line": 0, "character": 0}}


@pytest.fixture
def editor(start: Any) -> Editor:
    editor = start()
    editor.initialize()
    editor.call("pi/state")
    return editor


def answer_to(editor: Editor, message: dict[str, Any], counts_for: Any) -> dict[str, Any]:
    """The response to a message, which names this id."""
    seen = editor.seen
    editor.asked[counts_for] += 1
    editor.send({"jsonrpc": "2.0", **message})
    answer = editor.wait(lambda message: "method" not in message, since=seen)
    assert answer["id"] == counts_for
    return answer


@pytest.mark.parametrize("wrong", [[1], {"a": 1}, True])
@pytest.mark.parametrize("method", ["pi/state", "textDocument/hover"])
def test_an_id_that_is_none_is_refused(editor: Editor, wrong: Any, method: str) -> None:
    answer = answer_to(editor, {"id": wrong, "method": method, "params": A_HOVER}, None)
    assert answer["error"]["code"] == INVALID_REQUEST
    assert "Traceback" not in editor.stderr


@pytest.mark.parametrize("unusual", ["", "x" * 10_000, 0, -1, 10**30, 1.5])
def test_an_unusual_id_is_answered(editor: Editor, unusual: Any) -> None:
    assert "result" in answer_to(editor, {"id": unusual, "method": "pi/state"}, unusual)


@pytest.mark.parametrize("method", [5, None, ["x"], {}])
def test_a_method_that_is_no_name_is_refused(editor: Editor, method: Any) -> None:
    answer = answer_to(editor, {"id": 900, "method": method}, 900)
    assert answer["error"]["code"] == INVALID_REQUEST
    assert "Traceback" not in editor.stderr


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("initialized", {}),
        ("$/cancelRequest", {"id": 1}),
        (
            "textDocument/didOpen",
            {"textDocument": {"uri": "file:///x", "languageId": "markdown", "version": 1, "text": ""}},
        ),
        ("exit", None),
    ],
)
def test_a_notification_with_an_id_is_answered_and_not_done(editor: Editor, method: str, params: Any) -> None:
    answer = answer_to(editor, {"id": 900, "method": method, "params": params}, 900)
    assert answer["error"]["code"] == INVALID_REQUEST
    assert editor.call("pi/state")["phase"] == "idle"


@pytest.mark.parametrize("more", [{"result": 1}, {"error": {"code": 1, "message": "m"}}, {"error": "x"}])
def test_a_request_that_holds_a_result_as_well_is_a_request(editor: Editor, more: dict[str, Any]) -> None:
    assert "result" in answer_to(editor, {"id": 900, "method": "pi/state", **more}, 900)


@pytest.mark.parametrize(
    "response", [{"id": 900}, {"id": [900], "result": None}, {"id": {}, "error": {}}, {"error": {}}, {"result": 1}]
)
def test_responses_that_nobody_waits_for_are_passed_over(editor: Editor, response: dict[str, Any]) -> None:
    editor.send({"jsonrpc": "2.0", **response})
    assert editor.call("pi/state")["phase"] == "idle"
    assert "Traceback" not in editor.stderr


def test_a_request_without_an_id_is_not_done(editor: Editor, home: Home) -> None:
    editor.call("pi/model/set", {"provider": "scripted", "id": "scripted"})
    editor.notify("pi/chat", {"text": "nobody could cancel this"})
    assert editor.call("pi/chat", {"text": "but this"})["stopReason"] == "done"
    [file] = home.sessions.glob("*.jsonl")
    assert "nobody could cancel this" not in file.read_text()


def test_to_be_told_again_that_all_is_set_up_changes_nothing(editor: Editor) -> None:
    editor.call("pi/model/set", {"provider": "scripted", "id": "scripted"})
    editor.call("pi/chat", {"text": "one"})
    before = editor.call("pi/state")["session"]
    editor.notify("initialized", {})
    editor.call("pi/chat", {"text": "two"})
    after = editor.call("pi/state")["session"]
    assert (after["id"], after["entries"]) == (before["id"], before["entries"] + 2)
    sent = [message["params"]["seq"] for message in editor.messages if message.get("method") == "pi/event"]
    assert sent == list(range(1, len(sent) + 1))
    assert "Traceback" not in editor.stderr


def test_what_cannot_be_told_does_not_keep_the_rest_from_being_told(start: Any) -> None:
    spoilt = (
        "import sys; from pi_lsp.api import events; tell = events.event_params\n"
        "async def event_params(window, event, seq):\n"
        "    if seq == 1: raise OSError('the disk is gone')\n"
        "    return await tell(window, event, seq)\n"
        "events.event_params = event_params\n"
        "from pi_lsp.lsp.server import serve; sys.exit(serve())"
    )
    editor = start(command=(sys.executable, "-c", spoilt))
    editor.initialize()
    editor.call("pi/model/set", {"provider": "scripted", "id": "scripted"})
    assert editor.call("pi/chat", {"text": "one"})["stopReason"] == "done"
    editor.event("agent_end")
    numbers = [message["params"]["seq"] for message in editor.messages if message.get("method") == "pi/event"]
    assert numbers == list(range(2, len(numbers) + 2))
    assert "the disk is gone" in editor.stderr


def test_what_is_no_id_in_a_cancellation_is_passed_over(editor: Editor) -> None:
    misfits: tuple[Any, ...] = ({"id": [1]}, {"id": None}, {"id": 12345}, {"id": "none"}, None, {}, [])
    for params in misfits:
        editor.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": params})
    assert json.dumps(editor.call("pi/state"))
    with pytest.raises(RpcError):
        editor.call("pi/state", [])
