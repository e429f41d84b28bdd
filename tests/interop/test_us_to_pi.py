"""Sessions that our server writes, asked as an editor asks it: the real Pi sees the same messages and leaf."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.base.paths import path_to_uri, uri_to_path
from pi_lsp.session.messages import texts_of
from tests.interop.agree import assert_pi_agrees
from tests.support.api_server import ApiServer
from tests.support.api_server_replies import Reply
from tests.support.editor import Editor, Home
from tests.support.pi_models import OTHER_MODEL
from tests.support.pi_rpc import PiRpc

LONG = "The harbour master wants the bookings sorted by tide. " * 12


class Us:
    """Our server with a new session."""

    def __init__(self, editor: Editor, api: ApiServer) -> None:
        self.editor = editor
        self._api = api
        self.call = editor.call
        self.call("pi/session/new")

    def chat(self, text: str, *replies: Reply, **fields: Any) -> dict[str, Any]:
        self._api.replies += replies
        return self.call("pi/chat", {"text": text, **fields})

    def done(self, text: str, *replies: Reply) -> None:
        assert self.chat(text, *replies)["stopReason"] == "done"

    def entries(self) -> list[dict[str, Any]]:
        return self.call("pi/session/entries", {"limit": 100_000})["entries"]

    def asked(self) -> list[str]:
        """The ids of the user's messages."""
        return [entry["id"] for entry in self.entries() if (entry.get("message") or {}).get("role") == "user"]

    @property
    def file(self) -> Path:
        """The session's file; the wire has paths as they are on disk or as URIs."""
        file = self.call("pi/state")["session"]["file"]
        return Path(uri_to_path(file) or file)


@pytest.fixture
def us(editor: Editor, api: ApiServer) -> Us:
    return Us(editor, api)


@pytest.fixture
def two_turns(us: Us) -> Us:
    us.done(f"one {LONG}", Reply(text=f"Answer one. {LONG}"))
    us.done(f"two {LONG}", Reply(text=f"Answer two. {LONG}"))
    return us


def test_chat(us: Us, pi: PiRpc, editor: Editor) -> None:
    us.done("one\0 \ud83d", Reply(text="One."))
    us.done("two", Reply(text="Zwölf Boxkämpfer 😀 \u2028"))
    seen = assert_pi_agrees(pi, editor, us.file)
    assert [entry.message["role"] for entry in seen.path(seen.leaf_id) if entry.type == "message"] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
    ]


def test_thinking_and_another_model(us: Us, pi: PiRpc, editor: Editor) -> None:
    us.call("pi/thinking/set", {"level": "low"})
    us.done("one", Reply(thinking="Hm.", text="One."))
    us.call("pi/model/set", {"id": OTHER_MODEL})
    us.done("two", Reply(text="Two."))
    assert_pi_agrees(pi, editor, us.file)
    assert pi.state()["model"]["id"] == OTHER_MODEL


@pytest.mark.parametrize("summarizer", ["model", "local"])
def test_compaction(two_turns: Us, pi: PiRpc, editor: Editor, api: ApiServer, summarizer: str) -> None:
    us = two_turns
    if summarizer == "model":
        api.replies += [Reply(text="## Goal\nSort the bookings.")]
    done = us.call("pi/compact", {"summarizer": summarizer, "instructions": "the tides"})
    assert (done["stopReason"], done["summarizer"]) == ("done", summarizer)
    assert_pi_agrees(pi, editor, us.file)
    us.done("three", Reply(text="Three."))
    seen = assert_pi_agrees(pi, editor, us.file)
    assert sum(entry.type == "compaction" for entry in seen.session.tree) == 1
    pi.prompt("Pi goes on")


def test_undone_compaction(two_turns: Us, pi: PiRpc, editor: Editor) -> None:
    us = two_turns
    us.call("pi/compact", {"summarizer": "local"})
    us.call("pi/compact/undo")
    assert_pi_agrees(pi, editor, us.file)
    assert any(f"Answer one. {LONG}".strip() in text for message in pi.messages() for text in texts_of(message))


def test_overflow(two_turns: Us, pi: PiRpc, editor: Editor) -> None:
    us = two_turns
    too_long = Reply(status=400, error="prompt is too long: 210000 tokens > 200000 maximum")
    us.done("three", too_long, Reply(text="## Goal\nOne and two."), Reply(text="Three."))
    seen = assert_pi_agrees(pi, editor, us.file)
    assert {"compaction", "context_edit"} <= {entry.type for entry in seen.session.tree}


@pytest.mark.parametrize("summarizer", ["none", "model", "local"])
@pytest.mark.parametrize("place", ["user", "assistant", "root"])
def test_switch(two_turns: Us, pi: PiRpc, editor: Editor, api: ApiServer, summarizer: str, place: str) -> None:
    us = two_turns
    first, second = us.asked()
    answer = next(entry["id"] for entry in us.entries() if entry["parentId"] == first)
    target = {"user": second, "assistant": answer, "root": None}[place]
    if summarizer == "model":
        api.replies += [Reply(text="## Goal\nWas about two.")]
    moved = us.call("pi/tree/switch", {"targetId": target, "summarizer": summarizer, "label": "left"})
    assert (moved["stopReason"], moved["summarizer"]) == ("done", summarizer)
    assert_pi_agrees(pi, editor, us.file)
    us.done("another two", Reply(text="Another answer."))
    assert_pi_agrees(pi, editor, us.file)
    api.replies += [Reply(text="And Pi's.")]
    pi.prompt("Pi goes on there")
    assert LONG not in str(api.requests[-1].body["messages"][-3:])


def test_label_and_name(two_turns: Us, pi: PiRpc, editor: Editor) -> None:
    us = two_turns
    first, second = us.asked()
    us.call("pi/tree/label", {"entryId": first, "label": "the start"})
    us.call("pi/tree/label", {"entryId": second, "label": "wrong"})
    us.call("pi/tree/label", {"entryId": second, "label": None})
    us.call("pi/session/rename", {"name": "Tides and berths"})
    assert_pi_agrees(pi, editor, us.file)
    assert (pi.labels(), pi.state()["sessionName"]) == ({first: "the start"}, "Tides and berths")


def test_fork_and_clone(two_turns: Us, pi: PiRpc, editor: Editor) -> None:
    us = two_turns
    original = us.file
    first, second = us.asked()
    us.call("pi/tree/label", {"entryId": first, "label": "kept"})
    forked = us.call("pi/session/fork", {"entryId": second})
    assert forked["editorText"] == f"two {LONG}"
    us.done("forked", Reply(text="Forked."))
    seen = assert_pi_agrees(pi, editor, us.file)
    assert seen.session.header["parentSession"] == str(original)
    assert set(pi.labels().values()) == {"kept"}
    us.call("pi/session/clone")
    us.done("cloned", Reply(text="Cloned."))
    assert_pi_agrees(pi, editor, us.file)
    assert_pi_agrees(pi, editor, original)


def test_attempts_that_fail_and_an_abort(us: Us, pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    us.done("one", Reply(status=529, error="Overloaded"), Reply(text="half an ans", error_after=4), Reply(text="One."))
    assert us.chat("two", *(Reply(status=529, error="Overloaded") for _ in range(3)))["stopReason"] == "error"
    assert_pi_agrees(pi, editor, us.file)
    since = editor.seen
    api.replies += [Reply(text="I will never finish this sentence", stall_after=6)]
    asked = editor.ask("pi/chat", {"text": "three"})
    editor.event("message_delta", since)
    us.call("pi/abort")
    assert editor.answer(asked)["result"]["stopReason"] == "cancelled"
    assert_pi_agrees(pi, editor, us.file)
    us.done("four", Reply(text="Four."))
    seen = assert_pi_agrees(pi, editor, us.file)
    assert any(entry.message.get("stopReason") == "aborted" for entry in seen.session.tree)


def test_steering_and_follow_ups(us: Us, pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    api.replies += [Reply(text="One. " * 20, delay_s=0.02), Reply(text="Steered."), Reply(text="Followed.")]
    since = editor.seen
    asked = editor.ask("pi/chat", {"text": "one"})
    editor.event("message_delta", since)
    for mode in ("followUp", "steer"):
        assert us.call("pi/chat", {"text": f"a {mode}", "mode": mode})["stopReason"] == "queued"
    assert editor.answer(asked)["result"]["stopReason"] == "done"
    assert_pi_agrees(pi, editor, us.file)
    said = [texts_of(message)[0] for message in pi.messages() if message["role"] == "user"]
    assert said == ["one", "a steer", "a followUp"]


def test_tool_calls_that_nothing_runs(us: Us, pi: PiRpc, editor: Editor) -> None:
    call = {"id": "toolu_1", "name": "read", "input": {"path": "a.txt"}}
    us.done("one", Reply(text="Let me look.", tools=[call]), Reply(text="I cannot."))
    assert_pi_agrees(pi, editor, us.file)


def test_restored_text(two_turns: Us, pi: PiRpc, editor: Editor) -> None:
    us = two_turns
    us.call("pi/compact", {"summarizer": "local"})
    us.call("pi/context/restore", {"entryId": us.asked()[0]})
    us.done("three", Reply(text="Three."))
    assert_pi_agrees(pi, editor, us.file)


@pytest.fixture
def trimming(home: Home) -> Iterator[Editor]:
    """A window that trims old tool results."""
    with Editor(home) as editor:
        editor.initialize(session="new", settings={"compaction": {"trimToolResults": 2000}})
        yield editor


def test_trimmed_tool_results(pi: PiRpc, editor: Editor, trimming: Editor, api: ApiServer) -> None:
    """Pi runs the tool, we trim its result, Pi sees it trimmed."""
    (editor.home.workspace / "log.txt").write_text("".join(f"{number} ships passed\n" for number in range(1500)))
    call = {"id": "toolu_1", "name": "read", "input": {"path": "log.txt"}}
    api.replies += [Reply(tools=[call]), Reply(text=f"I have read it. {LONG}")]
    pi.prompt("Read the log")
    file = pi.file
    trimming.call("pi/session/open", {"file": path_to_uri(str(file))})
    api.replies += [Reply(text=f"Two. {LONG}"), Reply(text="Three.")]
    for text in ("two", "three"):
        assert trimming.call("pi/chat", {"text": text})["stopReason"] == "done"
    seen = assert_pi_agrees(pi, editor, file)
    assert [entry.type for entry in seen.session.tree].count("context_edit") == 1
    assert "1000 ships passed" not in str(pi.messages())
    assert "1000 ships passed" in file.read_text()
