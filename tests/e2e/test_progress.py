"""Work-done progress of requests: a token of the client's, what is told under it, and how it is cancelled."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api_server_replies import Reply
from tests.support.chats import Api
from tests.support.editor import Editor, Home
from tests.support.rpc import RpcError, result_of


@pytest.fixture
def editor(api: Api, home: Home, start: Callable[..., Editor]) -> Editor:
    """A window that has said enough to be compacted."""
    (home.agent / "settings.json").write_text('{"compaction": {"keepRecentTokens": 50}}')
    editor = start()
    editor.initialize()
    for n in range(3):
        api.will(Reply(text=f"answer {n} " + "word " * 400))
        editor.call("pi/chat", {"text": f"question {n} " + "word " * 400})
    return editor


def told(editor: Editor, token: int | str) -> list[dict[str, Any]]:
    """What was told under a token."""
    progress = [message["params"] for message in editor.messages if message.get("method") == "$/progress"]
    return [params["value"] for params in progress if params["token"] == token]


def first(editor: Editor) -> str:
    return editor.call("pi/tree", {"filter": "userOnly"})["nodes"][0]["id"]


@pytest.mark.parametrize("token", ["mine", 7])
def test_a_compaction_tells_how_far_it_is(editor: Editor, api: Api, token: int | str) -> None:
    api.will(Reply(text="## Goal\nAsk."))
    assert editor.call("pi/compact", {"workDoneToken": token})["stopReason"] == "done"
    begin, *reports, end = told(editor, token)
    assert begin == {"kind": "begin", "title": "pi: compacting", "cancellable": True}
    assert {report["kind"] for report in reports} == {"report"}
    assert reports[-1]["message"] == "the summary is written into the session"
    assert end == {"kind": "end"}


@pytest.mark.parametrize("method", ["pi/compact", "pi/tree/switch"])
@pytest.mark.parametrize("token", ["mine", 7])
def test_it_is_cancelled_by_its_token(editor: Editor, api: Api, method: str, token: int | str) -> None:
    state = editor.call("pi/state")["session"]
    params = {"pi/compact": {}, "pi/tree/switch": {"targetId": first(editor), "summarizer": "model"}}[method]
    api.will(Reply(wait_s=30))
    asked = len(api.server.requests)
    request = editor.ask(method, {**params, "workDoneToken": token})
    api.until(lambda: len(api.server.requests) > asked)
    editor.notify("window/workDoneProgress/cancel", {"token": token})
    assert result_of(editor.answer(request))["stopReason"] == "cancelled"
    assert [value["kind"] for value in told(editor, token)][:: len(told(editor, token)) - 1] == ["begin", "end"]
    after = editor.call("pi/state")
    assert (after["session"], after["phase"]) == (state, "idle")
    editor.notify("window/workDoneProgress/cancel", {"token": token})  # too late, and harmless
    api.will(Reply(text="## Goal\nAsk."))
    assert editor.call(method, {**params, "workDoneToken": token})["stopReason"] == "done"


def test_a_cancelled_request_ends_its_progress(editor: Editor, api: Api) -> None:
    api.will(Reply(wait_s=30))
    asked = len(api.server.requests)
    request = editor.ask("pi/compact", {"workDoneToken": "mine"})
    api.until(lambda: len(api.server.requests) > asked)
    editor.notify("$/cancelRequest", {"id": request})
    assert result_of(editor.answer(request))["stopReason"] == "cancelled"
    assert told(editor, "mine")[-1] == {"kind": "end"}


def test_what_is_refused_ends_its_progress_and_not_that_of_another(editor: Editor, api: Api) -> None:
    api.will(Reply(wait_s=30))
    asked = len(api.server.requests)
    request = editor.ask("pi/compact", {"workDoneToken": "mine"})
    api.until(lambda: len(api.server.requests) > asked)
    for token in ("mine", "other"):
        with pytest.raises(RpcError) as refused:
            editor.call("pi/tree/switch", {"targetId": None, "workDoneToken": token})
        assert refused.value.data == {"reason": "busy"}
    assert [value["kind"] for value in told(editor, "other")] == ["begin", "end"]
    assert all(value["kind"] != "end" for value in told(editor, "mine"))
    editor.notify("window/workDoneProgress/cancel", {"token": "mine"})
    assert result_of(editor.answer(request))["stopReason"] == "cancelled"


@pytest.mark.parametrize("token", [True, 1.5, ["x"], {}])
def test_what_is_no_token(editor: Editor, token: Any) -> None:
    with pytest.raises(RpcError) as wrong:
        editor.call("pi/compact", {"workDoneToken": token})
    assert wrong.value.code == -32602
    assert "$.workDoneToken" in str(wrong.value.data)


def test_without_a_token_nothing_is_told(editor: Editor) -> None:
    assert editor.call("pi/compact", {"summarizer": "local", "workDoneToken": None})["stopReason"] == "done"
    assert not any(message.get("method") == "$/progress" for message in editor.messages)
