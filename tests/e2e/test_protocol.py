"""Invariant 4: every request has exactly one response, and only JSON-RPC goes to standard output.

The harness checks that at the end of every conversation; here are those that make it hard.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.editor import Editor, Home, place, session_lines, write
from tests.support.rpc import OMIT, RpcError


def error_of(editor: Editor, method: str, params: Any = OMIT) -> RpcError:
    with pytest.raises(RpcError) as caught:
        editor.call(method, params)
    assert "Traceback" not in str(caught.value)
    return caught.value


def code_of(editor: Editor, method: str, params: Any = OMIT) -> int:
    return error_of(editor, method, params).code


def test_requests_before_initialize_and_a_second_initialize_are_refused(start: Any) -> None:
    editor = start()
    assert code_of(editor, "pi/state") == -32002
    assert code_of(editor, "shutdown") == -32002
    editor.notify("textDocument/didOpen", {"nonsense": True})
    editor.send({"jsonrpc": "2.0", "id": "to nothing", "result": None})
    editor.initialize()
    assert code_of(editor, "initialize", {"capabilities": {}, "processId": None, "rootUri": None}) == -32600
    assert editor.call("pi/state")["phase"] == "idle"


def test_after_shutdown_requests_are_refused_and_exit_is_0(home: Home) -> None:
    with Editor(home) as editor:
        editor.initialize()
        editor.call("shutdown")
        editor.send({"jsonrpc": "2.0", "id": "to nothing", "result": None})  # an answer gets none
        assert code_of(editor, "pi/state") == -32600
        assert code_of(editor, "textDocument/hover", place(home.workspace / "AGENTS.md")) == -32600
        assert code_of(editor, "shutdown") == -32600
        editor.notify("exit")
        assert editor.ended() == 0
        editor.check()


def test_the_process_ends_at_once_whatever_it_watches(home: Home) -> None:
    write(home.workspace, {"AGENTS.md": "# R\n"})
    with Editor(home) as editor:
        editor.initialize()
        editor.watch()
        begun = time.monotonic()
        assert editor.end() == 0
        assert time.monotonic() - begun < 5
        assert editor.stderr == ""


def test_exit_without_shutdown_is_1(home: Home) -> None:
    with Editor(home) as editor:
        editor.initialize()
        editor.call("pi/state")
        editor.notify("exit")
        assert editor.ended() == 1


def test_an_editor_that_is_gone_takes_the_server_along(home: Home) -> None:
    with Editor(home) as editor:
        editor.initialize()
        editor.call("pi/rules/all")
        assert editor.process.stdin
        editor.process.stdin.close()
        assert editor.ended() == 1
        editor.check()
        assert "Traceback" not in editor.stderr


def test_shutdown_in_the_middle_answers_everything_once(home: Home) -> None:
    home.sessions.mkdir(parents=True)
    (home.sessions / "s.jsonl").write_text(session_lines(home.workspace, *[("user", "x" * 200)] * 5000))
    with Editor(home) as editor:
        editor.initialize(session={"file": str(home.sessions / "s.jsonl")})
        asked = [editor.ask(method) for method in ("pi/tree", "pi/context", "pi/explain", "pi/rules/all", "pi/skills")]
        asked.append(editor.ask("pi/explain", {"query": "x"}))
        assert editor.end() == 0
        editor.check()
        for msg_id in asked:
            response = editor.answer(msg_id)
            assert "result" in response or response["error"]["code"] in (-32800, -32602)


def test_a_cancelled_request_is_answered_once(start: Any, home: Home) -> None:
    home.sessions.mkdir(parents=True)
    (home.sessions / "s.jsonl").write_text(session_lines(home.workspace, *[("user", "word " * 50)] * 5000))
    editor = start()
    editor.initialize(session={"file": str(home.sessions / "s.jsonl")})
    editor.call("pi/state")
    asked = [editor.ask("pi/explain", {"query": "word", "limit": 100_000}) for _ in range(5)]
    for msg_id in asked:
        editor.notify("$/cancelRequest", {"id": msg_id})
    codes = [editor.answer(msg_id).get("error", {}).get("code", 0) for msg_id in asked]
    assert set(codes) <= {0, -32800}
    assert codes.count(-32800) >= 3  # those that had not begun are not worked on at all
    editor.notify("$/cancelRequest", {"id": asked[0]})
    editor.notify("$/cancelRequest", {"id": "never asked"})
    assert editor.call("pi/state")["phase"] == "idle"


def test_two_at_once_are_both_answered(start: Any) -> None:
    editor = start()
    editor.initialize()
    editor.count()
    methods = ["pi/state", "pi/rules", "pi/rules/all", "pi/skills", "pi/session/list", "pi/tree", "pi/context"] * 2
    asked = [editor.ask(method) for method in methods]
    answers = [editor.answer(msg_id)["result"] for msg_id in asked]
    assert answers[:7] == answers[7:]


def test_ids_may_be_texts(start: Any) -> None:
    editor = start()
    editor.initialize()
    editor.ask("pi/state", msg_id="a-text")
    assert editor.answer("a-text")["result"]["phase"] == "idle"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff\xfe\x00",
        b"[]",
        b"null",
        b"17",
        b'"text"',
        b'[{"jsonrpc":"2.0","id":1,"method":"pi/state"}]',
        b'{"id":1,"method":"pi/state"}',
        b'{"jsonrpc":"1.0","id":1,"method":"pi/state"}',
        b"[" * 100_000,
    ],
)
def test_garbage_is_answered_without_an_id_and_changes_nothing(shared: Editor, body: bytes) -> None:
    before = shared.seen
    shared.send_body(body)
    answer = shared.wait(lambda message: "error" in message, since=before)
    assert answer["error"]["code"] in (-32700, -32600)
    shared.asked[answer["id"]] += 1
    assert shared.call("pi/state")["phase"] == "idle"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Editor(Home(tmp_path_factory.mktemp("shared"))) as editor:
        editor.initialize()
        editor.count()
        yield editor


def test_unknown_methods_and_misfits_are_told_with_wire_names(shared: Editor, home: Home) -> None:
    assert code_of(shared, "pi/nothing") == -32601
    assert code_of(shared, "textDocument/nothing", {}) == -32601
    shared.notify("pi/nothing", {"a": 1})
    shared.notify("$/whatever")
    error = error_of(
        shared, "textDocument/hover", {"textDocument": {"uri": 5}, "position": {"line": "x", "character": 0}}
    )
    assert error.code == -32602
    told = "\n".join(error.data["errors"])
    assert "$.params.textDocument.uri" in told and "$.params.position.line" in told
    assert code_of(shared, "textDocument/hover") == -32602
    assert code_of(
        shared, "textDocument/hover", {"textDocument": {"uri": "file:///x"}, "position": {"line": -1, "character": 0}}
    ) in (-32602, 0)


def test_null_absent_and_empty_params_are_the_same(shared: Editor) -> None:
    for method in ("pi/state", "pi/rules", "pi/rules/all", "pi/skills", "pi/session/list", "pi/tree", "pi/context"):
        assert (
            shared.call(method)
            == shared.call(method, None)
            == shared.call(method, {})
            == shared.call(method, {"more": 1})
        )


def test_nested_objects_that_look_like_messages_are_plain_values(shared: Editor) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "shutdown", "params": {}}
    assert shared.call("pi/state", {"inner": message, "list": [message]})["phase"] == "idle"
    assert code_of(shared, "pi/tree", {"under": message}) == -32602


@pytest.mark.parametrize("method", ["pi/state", "pi/tree", "textDocument/hover"])
def test_params_that_are_nested_deeply_are_answered(shared: Editor, method: str) -> None:
    deep = "[" * 900 + "]" * 900
    body = f'{{"jsonrpc":"2.0","id":"deep {method}","method":"{method}","params":{{"under":{deep}}}}}'
    shared.asked[f"deep {method}"] += 1
    shared.send_body(body.encode())
    assert shared.answer(f"deep {method}").get("error", {}).get("code", -32602) == -32602


def test_lone_surrogates_and_nuls_come_in_and_go_out(shared: Editor) -> None:
    error = error_of(shared, "pi/tree", {"under": "\ud800\x00"})
    assert error.code == -32803 and error.data["reason"] == "notFound"


def test_5000_notifications_leave_nothing_behind(shared: Editor) -> None:
    path = shared.home.workspace / "notes.md"
    shared.open(path, "")
    process = psutil.Process(shared.process.pid)
    for number in range(500):
        shared.change(path, f"{number}")
    shared.call("pi/state")
    before = process.memory_info().rss
    for number in range(5000):
        shared.change(path, f"{number}")
    shared.notify("workspace/didChangeConfiguration", {"settings": None})
    shared.call("pi/state")
    assert process.memory_info().rss - before < 4 << 20  # pygls alone keeps 2 kB of each


PRINTING = """
import sys
from pi_lsp.lsp import server
import pi_lsp.api.skills as skills
import pi_lsp.lsp.methods as methods
answer = methods.answer
async def noisy(method, window, params, *rest):
    import os, subprocess
    print("printed"); sys.stdout.write("Content-Length: 5\\r\\n\\r\\n"); sys.stdout.flush()
    os.write(1, b"raw")
    subprocess.run([sys.executable, "-c", "print('a child'); import sys; sys.stdin.read()"])
    return await answer(method, window, params, *rest)
methods.answer = noisy
sys.exit(server.serve())
"""


def test_what_is_printed_in_the_process_never_reaches_the_client(start: Any) -> None:
    editor = start(command=(sys.executable, "-c", PRINTING))
    editor.initialize()
    assert editor.call("pi/state")["phase"] == "idle"
    assert editor.end() == 0
    assert "printed" in editor.stderr and "a child" in editor.stderr


def test_the_server_starts_in_any_folder_and_for_any_capabilities(home: Home) -> None:
    with Editor(home) as editor:
        editor.call(
            "initialize", {"processId": 1, "rootUri": None, "capabilities": {"experimental": {"pi": 7}, "x": []}}
        )
        editor.notify("initialized", {})
        state = editor.call("pi/state")
        assert "file" not in state["session"]
        assert json.dumps(state)
        assert editor.call("pi/rules/all")["files"] == []
    assert not (home.agent / "sessions").exists()


def test_invariant_9_nothing_heavy_is_loaded_for_a_hover(start: Any, home: Home, tmp_path: Path) -> None:
    write(home.workspace, {"AGENTS.md": "# Hello\n"})
    editor = start()
    editor.initialize(pi=None)
    assert editor.hover(home.workspace / "AGENTS.md")
    maps = [entry.path for entry in psutil.Process(editor.process.pid).memory_maps()]
    assert not [path for path in maps if "tiktoken" in path]
