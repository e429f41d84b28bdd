"""A client that stops reading: the server goes on listening to it, and holds no more than a limit for it."""

import threading
from collections.abc import Callable

import psutil

from tests.support.api_server_replies import Reply
from tests.support.chats import Api
from tests.support.editor import Editor, Home, place
from tests.support.rpc import result_of
from tests.support.waiting import PATIENCE_S

HOVERS = 1000
"""Their requests and their answers are many times what a pipe holds."""


def test_who_does_not_read_can_still_cancel(home: Home, api: Api, start: Callable[..., Editor]) -> None:
    rules = home.workspace / "AGENTS.md"
    rules.write_text("# Rules\n" * 50)
    editor = start()
    editor.initialize()
    editor.hover(rules)
    api.will(Reply(text="word " * 100_000, chunk=50, delay_s=0.001))
    run = editor.ask("pi/chat", {"text": "go"})
    editor.event("message_delta")
    with editor.deaf():
        asking = threading.Thread(
            target=lambda: [editor.ask("textDocument/hover", place(rules)) for _ in range(HOVERS)]
        )
        asking.start()
        asking.join(PATIENCE_S)
        assert not asking.is_alive()
        editor.notify("$/cancelRequest", {"id": run})
        api.until(lambda: api.server.requests[-1].gone)
        assert psutil.Process(editor.process.pid).memory_info().rss < 300 << 20
    assert result_of(editor.answer(run))["stopReason"] == "cancelled"
    editor.event("agent_end")
    sent = [message["params"]["seq"] for message in editor.messages if message.get("method") == "pi/event"]
    assert sent == list(range(1, len(sent) + 1))


def test_the_server_ends_though_nobody_reads(home: Home, start: Callable[..., Editor]) -> None:
    rules = home.workspace / "AGENTS.md"
    rules.write_text("# Rules\n" * 50)
    editor = start()
    editor.initialize()
    editor.hover(rules)
    with editor.deaf():
        for _ in range(HOVERS):
            editor.ask("textDocument/hover", place(rules))
        editor.ask("shutdown")
        editor.notify("exit")
        assert editor.process.wait(PATIENCE_S) == 0
    editor.ended()
    for lost in (editor.asked, editor.messages, editor.problems):  # with the server, in the middle of a message
        lost.clear()
