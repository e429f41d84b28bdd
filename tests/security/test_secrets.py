"""A key goes to the provider and nowhere else."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.api_server_replies import Reply
from tests.support.chats import Api
from tests.support.editor import Editor, Home, write
from tests.support.rpc import RpcError

KEY = "sk-ant-VERY-SECRET-4711"


@pytest.mark.parametrize("given", ["environment", "auth.json", "models.json", "client"])
def test_a_key_is_in_no_message_file_or_log(
    home: Home, api: Api, start: Callable[..., Editor], monkeypatch: pytest.MonkeyPatch, given: str, tmp_path: Path
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    write(home.agent, {"settings.json": '{"retry": {"baseDelayMs": 0, "maxRetries": 1}}'})
    match given:
        case "environment":
            monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        case "auth.json":
            write(home.agent, {given: json.dumps({"anthropic": {"type": "api_key", "key": KEY}})})
        case "models.json":
            write(home.agent, {given: json.dumps({"providers": {"anthropic": {"apiKey": KEY}}})})
        case _:
            pass
    editor = start()
    editor.initialize(pi={"events": True})
    if given == "client":
        editor.call("pi/auth/set", {"provider": "anthropic", "apiKey": KEY})
    replies = [
        Reply(text="fine"),
        Reply(status=401, error=f"invalid x-api-key: {KEY}"),
        Reply(status=529, error=f"overloaded {KEY}"),
        Reply(text="half", cut_after=3),
    ]
    for reply in replies:
        api.will(reply)
        try:
            editor.call("pi/chat", {"text": "hi"})
        except RpcError as error:
            assert KEY not in str(error)
    assert KEY in {request.headers.get("x-api-key") for request in api.server.requests}
    for method in ("pi/state", "pi/model/list", "pi/tree", "pi/session/entries"):
        editor.call(method)
    editor.call("pi/context", {"full": True})
    assert editor.call("pi/explain", {"query": KEY})["hits"] == []
    with pytest.raises(RpcError):
        editor.call("pi/auth/set", {"provider": "anthropic", "apiKey": f"{KEY}\n{KEY}"})
    assert editor.end() == 0
    assert KEY not in json.dumps(editor.messages)
    assert KEY not in editor.stderr
    written = [path for path in home.folder.rglob("*") if path.is_file() and path.parent != home.agent]
    assert written
    assert [path for path in written if KEY.encode() in path.read_bytes()] == []
