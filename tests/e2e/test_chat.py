"""Talking to a model: a real server over stdio, the real SDK, a strict Messages API over HTTP."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.base.paths import path_to_uri
from tests.support.api_server_replies import Reply
from tests.support.chats import KEYS, Api
from tests.support.editor import Editor, Home, write
from tests.support.rpc import RpcError, result_of


@pytest.fixture
def editor(api: Api, home: Home, start: Callable[..., Editor]) -> Editor:
    (home.agent / "settings.json").write_text('{"retry": {"baseDelayMs": 0}}')
    (home.workspace / "AGENTS.md").write_text("Be kind to boats.\n")
    editor = start()
    editor.initialize()
    return editor


def chat(editor: Editor, text: str, **fields: Any) -> dict[str, Any]:
    return editor.call("pi/chat", {"text": text, **fields})


def stored(home: Home) -> list[dict[str, Any]]:
    [path] = home.sessions.glob("*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_conversation(editor: Editor, api: Api, home: Home) -> None:
    api.will(Reply(text="Hello there."), Reply(text="Still here."))
    first = chat(editor, "Hi")
    assert first["stopReason"] == "done"
    assert set(first["usage"]) == {"input", "output", "cacheRead", "cacheWrite", "totalTokens", "cost"}
    assert chat(editor, "And now?")["usage"]["cacheRead"] > 0
    assert "Be kind to boats." in json.dumps(api.server.requests[0].body["system"])
    entries = stored(home)
    assert entries[-1]["id"] == editor.call("pi/state")["session"]["leafId"]
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user", "assistant"]


def test_no_answer_overtakes_what_led_to_it(editor: Editor, api: Api) -> None:
    api.will(*[Reply(text="Yes.")] * 5)
    for _ in range(5):
        since = editor.seen
        run = editor.ask("pi/chat", {"text": "Really?"})
        editor.answer(run)
        told = [
            message.get("id", message.get("params", {}).get("event", {}).get("type")) for message in editor.messages
        ]
        assert told.index("agent_end", since) < told.index(run, since)


def test_events_have_numbers_without_a_gap_and_deltas_are_in_order(editor: Editor, api: Api) -> None:
    text = " ".join(map(str, range(400)))
    api.will(Reply(text=text, chunk=3, delay_s=0.0005))
    chat(editor, "count")
    editor.event("agent_end")
    sent = [message["params"] for message in editor.messages if message.get("method") == "pi/event"]
    assert [params["seq"] for params in sent] == list(range(1, len(sent) + 1))
    deltas = [params["event"] for params in sent if params["event"]["type"] == "message_delta"]
    assert "".join(delta["delta"] for delta in deltas) == text
    assert len(deltas) < 400
    kinds = [params["event"]["type"] for params in sent]
    last_delta = len(kinds) - kinds[::-1].index("message_delta") - 1
    assert "message_end" in kinds[last_delta:]
    assert "message_delta" not in kinds[kinds.index("turn_end") :]


def test_a_client_that_comes_to_a_run_can_follow_it(editor: Editor, api: Api) -> None:
    text = " ".join(map(str, range(300)))
    api.will(Reply(text=text, chunk=2, delay_s=0.002))
    run = editor.ask("pi/chat", {"text": "count"})
    editor.event("message_delta")
    told = []
    for _ in range(20):
        running = editor.call("pi/state").get("running")
        if running and (content := running.get("message", {}).get("content")):
            told.append((running["seq"], content[0]["text"]))
        time.sleep(0.01)
    result_of(editor.answer(run))
    editor.event("agent_end")
    assert len(told) > 5
    sent = [message["params"] for message in editor.messages if message.get("method") == "pi/event"]
    for seq, so_far in told:
        parts = [
            params["event"]["delta"]
            for params in sent
            if params["event"]["type"] == "message_delta" and params["seq"] <= seq
        ]
        assert "".join(parts) == so_far


def test_the_first_delta_is_told_before_the_second_is_sent(editor: Editor, api: Api) -> None:
    chat(editor, "import the SDK")
    sent = []
    for _ in range(5):
        seen = editor.seen
        api.will(Reply(text="x" * 40, delay_s=0.1))
        run = editor.ask("pi/chat", {"text": "now"})
        editor.event("message_delta", since=seen)
        sent.append(sum(name == "content_block_delta" for name, _ in list(api.server.requests[-1].sent)))
        result_of(editor.answer(run))
    assert min(sent) == 1, sent  # one of five: this machine may do something else beside


def test_hovers_are_answered_while_the_sdk_is_imported(editor: Editor, home: Home) -> None:
    rules = home.workspace / "AGENTS.md"
    editor.open(rules)
    editor.hover(rules)
    run = editor.ask("pi/chat", {"text": "hi"})
    hovers = 0
    while not any("method" not in message and message.get("id") == run for message in list(editor.messages)):
        editor.hover(rules)
        hovers += 1
    assert result_of(editor.answer(run))["stopReason"] == "done"
    assert hovers > 10  # an import that held the event loop up would let two or three through


def test_steering_and_follow_ups(editor: Editor, api: Api) -> None:
    api.will(Reply(text="one", delay_s=0.1), Reply(text="two"), Reply(text="three"))
    run = editor.ask("pi/chat", {"text": "go"})
    api.until(lambda: api.server.requests)
    assert chat(editor, "last", mode="followUp") == {"stopReason": "queued"}
    assert chat(editor, "next", mode="steer") == {"stopReason": "queued"}
    with pytest.raises(RpcError) as refused:
        chat(editor, "no")
    assert refused.value.code == -32803
    assert refused.value.data == {"reason": "busy"}
    assert result_of(editor.answer(run))["stopReason"] == "done"
    said = [
        message["content"][0]["text"]
        for message in api.server.requests[-1].body["messages"]
        if message["role"] == "user"
    ]
    assert said == ["go", "next", "last"]


def test_a_cancelled_request_answers_normally_and_writes_nothing_more(editor: Editor, api: Api, home: Home) -> None:
    api.will(Reply(text="Half an answer", stall_after=5))
    run = editor.ask("pi/chat", {"text": "go"})
    editor.event("message_delta")
    editor.notify("$/cancelRequest", {"id": run})
    result = result_of(editor.answer(run))
    assert result["stopReason"] == "cancelled"
    entries = stored(home)
    assert entries[-1]["message"]["stopReason"] == "aborted"
    assert entries[-1]["id"] == result["leafId"]
    api.until(lambda: api.server.requests[-1].gone)
    time.sleep(0.1)
    assert stored(home) == entries
    assert chat(editor, "again")["stopReason"] == "done"


def test_abort_gives_back_what_was_not_said(editor: Editor, api: Api) -> None:
    api.will(Reply(wait_s=30))
    run = editor.ask("pi/chat", {"text": "go"})
    api.until(lambda: api.server.requests)
    chat(editor, "more", mode="steer")
    assert editor.call("pi/abort") == {"queue": {"steer": ["more"], "followUp": []}}
    assert result_of(editor.answer(run))["stopReason"] == "cancelled"
    assert editor.call("pi/state")["phase"] == "idle"
    assert editor.call("pi/abort") == {"queue": {"steer": [], "followUp": []}}


def test_failures_are_tried_again_where_one_can_see_it(editor: Editor, api: Api) -> None:
    api.will(Reply(status=503, error="overloaded"), Reply(text="Half", cut_after=4), Reply(text="Whole."))
    assert chat(editor, "go")["stopReason"] == "done"
    retries = [event for event in editor.events() if event["type"].startswith("retry")]
    kinds = [event["type"] for event in retries]
    assert kinds == ["retry_scheduled", "retry_attempt_start"] * 2 + ["retry_finished"]
    reasons = [event["reason"] for event in retries if "reason" in event]
    assert reasons == ["the provider is busy", "the connection was lost"]


def test_shutdown_in_the_middle_of_an_answer(editor: Editor, api: Api, home: Home) -> None:
    api.will(Reply(text="Half an answer", stall_after=5))
    run = editor.ask("pi/chat", {"text": "go"})
    editor.event("message_delta")
    assert editor.end() == 0
    assert result_of(editor.answer(run))["stopReason"] == "cancelled"
    assert stored(home)[-1]["message"]["stopReason"] == "aborted"
    assert "Traceback" not in editor.stderr


def test_references_images_and_what_is_wrong_with_them(editor: Editor, api: Api, home: Home) -> None:
    path = home.workspace / "a.py"
    path.write_text("one\ntwo\n")
    editor.open(path, "typed\n")
    chat(editor, "look", references=[{"uri": path_to_uri(str(path))}])
    assert "typed" in api.server.requests[-1].body["messages"][-1]["content"][1]["text"]
    with pytest.raises(RpcError) as wrong:
        chat(editor, "look", images=[{"data": "x", "mimeType": "image/png"}], references=[{"uri": "foo:bar"}])
    assert wrong.value.code == -32602
    assert [line.partition(":")[0] for line in wrong.value.data["errors"]] == ["references[0]", "images[0]"]


def test_R13_an_unknown_skill_is_sent_as_it_is_and_told(editor: Editor, api: Api, home: Home) -> None:
    write(home.agent, {"skills/review/SKILL.md": "---\nname: review\ndescription: Reviews.\n---\nLook."})
    assert chat(editor, "/skill:reveiw x")["stopReason"] == "done"
    assert api.server.requests[-1].body["messages"][-1]["content"][0]["text"] == "/skill:reveiw x"
    shown = editor.wait(lambda message: message.get("method") == "window/showMessage")["params"]
    assert shown["type"] == 2
    assert shown["message"].endswith("Did you mean /skill:review?")
    assert editor.event("warning")["message"] in shown["message"]


def test_R3_rules_of_a_folder_that_is_touched_are_offered(editor: Editor, api: Api, home: Home) -> None:
    write(home.workspace, {"api/AGENTS.md": "No SQL in handlers.\n", "api/x.py": "x = 1\n"})
    rules, uri = (path_to_uri(str(home.workspace / "api" / name)) for name in ("AGENTS.md", "x.py"))
    chat(editor, "look", references=[{"uri": uri}])
    assert editor.event("rules_offered") == {"type": "rules_offered", "uris": [rules]}
    assert editor.call("pi/rules/load", {"uris": [rules]})["uris"] == [rules]
    chat(editor, "look again", references=[{"uri": uri}])
    assert "No SQL in handlers." in json.dumps(api.server.requests[-1].body["messages"])
    assert len([event for event in editor.events() if event["type"] == "rules_offered"]) == 1
    assert editor.call("pi/rules/session", {"uri": rules}) == {"text": "No SQL in handlers.\n"}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("pi/chat", {}),
        ("pi/chat", {"text": 5}),
        ("pi/chat", {"text": "x", "mode": "shout"}),
        ("pi/chat", {"text": "x", "images": [{}]}),
        ("pi/chat", {"text": " "}),
        ("pi/queue/set", {"steer": "x"}),
        ("pi/model/set", {}),
        ("pi/thinking/set", {"level": "loud"}),
        ("pi/auth/set", {"provider": "anthropic", "apiKey": "a\nb"}),
        ("pi/session/fork", {}),
        ("pi/session/rename", {}),
        ("pi/session/delete", {"file": 5}),
        ("pi/tree/switch", {}),
        ("pi/tree/label", {"entryId": "x"}),
        ("pi/compact", {"summarizer": "nobody"}),
        ("pi/context/restore", {}),
        ("pi/rules/load", {"uris": "x"}),
    ],
)
def test_params_that_do_not_fit(editor: Editor, method: str, params: Any) -> None:
    with pytest.raises(RpcError) as wrong:
        editor.call(method, params)
    assert wrong.value.code == -32602
    assert wrong.value.data["errors"]


def test_compaction_switching_labels_and_undo(editor: Editor, api: Api) -> None:
    for n in range(6):
        api.will(Reply(text=f"answer {n} " + "word " * 4000))
        chat(editor, f"question {n} " + "word " * 4000)
    api.will(Reply(text="## Goal\nAsk questions."))
    done = editor.call("pi/compact", {"instructions": "mind the numbers"})
    assert (done["stopReason"], done["summarizer"]) == ("done", "model")
    assert done["tokensAfter"] < done["tokensBefore"]
    assert "mind the numbers" in json.dumps(api.server.requests[-1].body)
    leaf = editor.call("pi/compact/undo")["leafId"]
    assert editor.call("pi/state")["session"]["leafId"] == leaf
    nodes = editor.call("pi/tree", {"filter": "userOnly"})["nodes"]
    editor.call("pi/tree/label", {"entryId": nodes[1]["id"], "label": "here"})
    api.will(Reply(text="## Goal\nWent too far."))
    switched = editor.call("pi/tree/switch", {"targetId": nodes[2]["id"], "summarizer": "model"})
    assert switched["editorText"].startswith("question 2")
    assert switched["summarizer"] == "model"
    assert chat(editor, "instead")["stopReason"] == "done"
    messages = json.dumps(api.server.requests[-1].body["messages"])
    assert "Went too far." in messages
    assert "question 5" not in messages


def test_without_a_key(home: Home, start: Callable[..., Editor], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    editor = start()
    editor.initialize()
    with pytest.raises(RpcError) as refused:
        chat(editor, "hi")
    assert refused.value.data == {"reason": "noModel"}
    editor.call("pi/model/set", {"provider": "scripted", "id": "scripted"})
    assert chat(editor, "hi")["stopReason"] == "done"
    listed = editor.call("pi/model/list")["models"]
    assert all(not model.get("available") for model in listed)


def test_a_key_of_the_client_is_never_written(home: Home, api: Api, start: Callable[..., Editor]) -> None:
    editor = start()
    editor.initialize()
    editor.call("pi/auth/set", {"provider": "anthropic", "apiKey": "sk-very-secret"})
    chat(editor, "hi")
    assert api.server.requests[-1].headers["x-api-key"] == "sk-very-secret"
    assert not any(b"sk-very-secret" in path.read_bytes() for path in files_of(home.folder))
    assert "sk-very-secret" not in editor.stderr


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
