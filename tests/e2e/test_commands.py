"""Commands, for editors that know nothing of us: progress, messages, choices, pages."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.base.paths import path_to_uri, uri_to_path
from pi_lsp.lsp.commands import COMMANDS
from tests.e2e.test_chat import stored
from tests.support.api_server_replies import Reply
from tests.support.chats import Api
from tests.support.editor import Editor, Home, bundled, session_lines, write

CAPABILITIES = {
    "window": {"workDoneProgress": True, "showDocument": {"support": True}},
    "workspace": {"configuration": True},
}
CONTENT = {**CAPABILITIES, "workspace": {"configuration": True, "textDocumentContent": {"dynamicRegistration": False}}}


class Stranger:
    """An editor without a client of ours, and the person in front of it."""

    def __init__(self, start: Callable[..., Editor], capabilities: Any) -> None:
        self.choices: list[int | None] = []
        self.asked: list[Any] = []
        self.editor = start(
            answers={
                "window/workDoneProgress/create": lambda _: None,
                "window/showDocument": lambda _: {"success": True},
                "window/showMessageRequest": self._choose,
                "workspace/textDocumentContent/refresh": lambda _: None,
            }
        )
        self.capabilities = self.editor.initialize(capabilities, pi=None)["capabilities"]

    def _choose(self, params: Any) -> Any:
        self.asked.append(params)
        choice = self.choices.pop(0)
        return None if choice is None else params["actions"][choice]

    def run(self, command: str, *arguments: Any) -> None:
        params = {"command": command, "arguments": list(arguments)} if arguments else {"command": command}
        assert self.editor.call("workspace/executeCommand", params) == {"started": True}

    def wait(self, method: str, since: int = 0) -> Any:
        return self.editor.wait(lambda message: message.get("method") == method, since)["params"]

    def shown(self, since: int) -> str:
        """The URI of the page that is opened next."""
        return self.wait("window/showDocument", since)["uri"]

    def page(self, command: str, *arguments: Any) -> str:
        """The text of the page that a command opens."""
        return self.opened(command, *arguments).read_text()

    def opened(self, command: str, *arguments: Any) -> Path:
        """The page that a command opens."""
        since = self.editor.seen
        self.run(command, *arguments)
        return Path(uri_to_path(self.shown(since)) or "")

    def told(self, command: str, *arguments: Any) -> str:
        """The message that a command ends with."""
        since = self.editor.seen
        self.run(command, *arguments)
        return self.wait("window/showMessage", since)["message"]


@pytest.fixture
def stranger(api: Api, home: Home, start: Callable[..., Editor]) -> Stranger:
    (home.workspace / "AGENTS.md").write_text("Be kind to boats.\n")
    return Stranger(start, CAPABILITIES)


def test_only_strangers_are_offered_the_commands(stranger: Stranger, start: Callable[..., Editor]) -> None:
    assert set(stranger.capabilities["executeCommandProvider"]["commands"]) == set(COMMANDS)
    assert stranger.capabilities["codeLensProvider"]
    ours = start().initialize()["capabilities"]
    assert "executeCommandProvider" not in ours
    assert "codeLensProvider" not in ours


def test_asking_answers_at_once_and_shows_the_answer_on_a_page(stranger: Stranger, api: Api) -> None:
    api.will(Reply(text="Boats are **fine**.", delay_s=0.02))
    page = stranger.page("pi.ask", "How are the boats?")
    assert "How are the boats?" in page
    assert "Boats are **fine**." in page
    progress = [m["params"]["value"] for m in stranger.editor.messages if m.get("method") == "$/progress"]
    assert progress[0]["kind"] == "begin"
    assert progress[0]["cancellable"] is True
    assert any("characters of the answer" in value.get("message", "") for value in progress)
    assert progress[-1]["kind"] == "end"


def test_progress_can_be_cancelled(stranger: Stranger, api: Api, home: Home) -> None:
    api.will(Reply(text="Half an answer", stall_after=5))
    since = stranger.editor.seen
    stranger.run("pi.ask", "Tell me all")
    token = stranger.wait("window/workDoneProgress/create", since)["token"]
    stranger.editor.wait(lambda message: "characters of the answer" in str(message.get("params")), since)
    stranger.editor.notify("window/workDoneProgress/cancel", {"token": token})
    assert "cancelled" in stranger.wait("window/showMessage", since)["message"]
    assert stored(home)[-1]["message"]["stopReason"] == "aborted"


def test_text_is_written_on_a_page_whose_lens_sends_it(stranger: Stranger, api: Api) -> None:
    since = stranger.editor.seen
    stranger.run("pi.ask")
    uri = stranger.shown(since)
    path = Path(uri_to_path(uri) or "")
    assert path.name == "pi-ask.md"
    editor = stranger.editor
    editor.open(path, path.read_text() + "What about\nthe harbour?\n")
    [lens] = editor.call("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert lens["command"]["title"] == "Send"
    since = editor.seen
    editor.call("workspace/executeCommand", {k: v for k, v in lens["command"].items() if k != "title"})
    assert "the harbour?" in Path(uri_to_path(stranger.shown(since)) or "").read_text()
    assert api.server.requests[-1].body["messages"][-1]["content"][0]["text"] == "What about\nthe harbour?"


def test_only_the_pages_of_this_very_server_have_a_lens(
    stranger: Stranger, home: Home, start: Callable[..., Editor]
) -> None:
    mine = home.workspace / "pi-ask.md"
    mine.write_text("mine")
    other = Stranger(start, CAPABILITIES)
    since = other.editor.seen
    other.run("pi.ask")
    for path in (mine, Path(uri_to_path(other.shown(since)) or "")):
        stranger.editor.open(path)
        assert stranger.editor.call("textDocument/codeLens", {"textDocument": {"uri": path_to_uri(str(path))}}) == []


def test_without_a_lens_the_same_command_passes_the_page_on(stranger: Stranger, api: Api) -> None:
    first = stranger.opened("pi.ask")
    assert stranger.opened("pi.ask") != first  # nothing was written on it
    page = stranger.opened("pi.ask")
    page.write_text(page.read_text() + "<!-- mine --> How are\nthe boats?")
    api.will(Reply(wait_s=5))
    stranger.run("pi.ask", "first of all")
    api.until(lambda: api.server.requests)
    assert "the window is running" in stranger.told("pi.ask")  # and the text is kept
    since = stranger.editor.seen
    stranger.editor.call("pi/abort")
    stranger.shown(since)
    api.will(Reply(text="Fine."))
    chat = stranger.page("pi.ask")
    assert "Fine." in chat and "the boats?" in chat
    assert api.server.requests[-1].body["messages"][-1]["content"][0]["text"] == "<!-- mine --> How are\nthe boats?"
    assert stranger.opened("pi.ask").name == "pi-ask.md"  # it was passed on once
    assert page.read_text().endswith("the boats?")


def test_a_page_that_is_open_is_passed_on_as_it_stands_there(stranger: Stranger, api: Api, home: Home) -> None:
    page = stranger.opened("pi.explain")
    stranger.editor.open(page, page.read_text() + "boats")
    assert "`boats`" in stranger.page("pi.explain")
    assert stranger.opened("pi.explain").name == "pi-explain.md"


def test_a_page_is_a_new_file_where_it_says_something_new(stranger: Stranger, api: Api) -> None:
    # Neovim and others do not read a file again that they have open.
    api.will(Reply(text="Fine."), Reply(text="Deep."))
    first = stranger.opened("pi.ask", "How are the boats?")
    assert stranger.wait("window/showDocument")["selection"]["start"] == {"line": 6, "character": 0}
    assert first.read_text().splitlines()[6:] == ["## claude-sonnet-4-5", "", "Fine."]
    second = stranger.opened("pi.ask", "And the sea?")
    assert first != second and first.name == second.name == "pi-chat.md"
    assert "Deep." in second.read_text() and "Deep." not in first.read_text()
    assert stranger.opened("pi.showRules") == stranger.opened("pi.showRules")


def test_a_conversation_page_says_what_it_leaves_out_and_whose_words_are_whose(
    stranger: Stranger, api: Api, home: Home
) -> None:
    said = [(role, f"{role} {number}") for number in range(102) for role in ("user", "assistant")]
    lines = session_lines(home.workspace, *said).replace("claude-sonnet-4-5", "<img src=x> [a](http://b)")
    write(home.sessions, {"s.jsonl": lines})
    stranger.choices = [0]
    page = stranger.page("pi.openSession")
    assert page.startswith("# Conversation\n\n4 earlier entries of the session are left out.\n\n## You\n\nuser 2\n")
    assert "\n## `<img src=x> [a](http://b)`\n\nassistant 101\n" in page


def test_a_client_that_goes_while_the_model_answers_takes_the_server_with_it(stranger: Stranger, api: Api) -> None:
    api.will(Reply(text="Half an answer", stall_after=5))
    stranger.run("pi.ask", "Tell me all")
    api.until(lambda: api.server.requests)
    stranger.editor.process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
    assert stranger.editor.ended() == 1


def test_pages(stranger: Stranger, api: Api, home: Home) -> None:
    api.will(Reply(text="Fine."))
    stranger.page("pi.ask", "How are the boats?")
    assert "Be kind to boats." not in stranger.page("pi.showTree")
    assert "How are the boats?" in stranger.page("pi.showTree")
    context = stranger.page("pi.showContext")
    assert "project_context" in context
    assert "How are the boats?" in context
    assert "AGENTS.md" in stranger.page("pi.showRules")
    assert "AGENTS.md" in stranger.page("pi.showRules", path_to_uri(str(home.workspace / "deep" / "x.py")))
    assert "**sent**" in stranger.page("pi.explain", "boats")
    assert "stay" in stranger.told("pi.previewCompaction")
    assert "stay" in stranger.told("pi.compact")


def test_a_client_that_asks_for_texts_gets_pages_of_ours(api: Api, home: Home, start: Callable[..., Editor]) -> None:
    stranger = Stranger(start, CONTENT)
    assert stranger.capabilities["workspace"]["textDocumentContent"] == {"schemes": ["pi"]}
    since = stranger.editor.seen
    stranger.run("pi.explain", "what & why?")
    uri = stranger.shown(since)
    assert uri.startswith("pi:/explain/")
    text = stranger.editor.call("workspace/textDocumentContent", {"uri": uri})["text"]
    assert "`what & why?`" in text
    unknown = stranger.editor.call("workspace/textDocumentContent", {"uri": "pi:/nothing/x"})["text"]
    assert "no such page" in unknown


def test_switching_asks_where_to_and_gives_the_text_back(stranger: Stranger, api: Api) -> None:
    for text in ("one", "two"):
        stranger.page("pi.ask", text)
    stranger.choices = [0, 0]
    page = stranger.page("pi.switchBranch")
    assert page.endswith("two")
    first, second = stranger.asked
    assert [action["title"] for action in first["actions"]] == ["two", "one"]
    assert len(second["actions"]) == 3
    stranger.choices = [None]
    since = stranger.editor.seen
    stranger.run("pi.switchBranch")
    time.sleep(0.2)
    shown = [m["method"] for m in stranger.editor.messages[since:] if "method" in m]
    assert shown == ["window/showMessageRequest"]


def test_sessions(stranger: Stranger, api: Api) -> None:
    assert "no sessions yet" in stranger.told("pi.openSession")
    stranger.page("pi.ask", "first of all")
    assert "new session" in stranger.told("pi.newSession")
    stranger.choices = [0]
    assert "first of all" in stranger.page("pi.openSession")


def test_a_page_that_the_client_does_not_open_is_told(stranger: Stranger, api: Api) -> None:
    answer = stranger.editor.answers.pop("window/showDocument")
    assert re.fullmatch(r"Open file:///.*/pi-rules\.md", stranger.told("pi.showRules"))
    stranger.editor.answers["window/showDocument"] = lambda params: answer(params) | {"success": False}
    assert stranger.told("pi.showRules").startswith("Open file:///")


def test_choices_are_told_apart_by_their_titles(stranger: Stranger, api: Api) -> None:
    for text in ("go on", "go on", "港" * 80, "go on"):
        stranger.page("pi.ask", text)
    stranger.choices = [2, 0]
    assert stranger.page("pi.switchBranch").endswith("go on")
    titles = [action["title"] for action in stranger.asked[0]["actions"]]
    assert titles == ["go on", "港" * 59 + "…", "go on (2)", "go on (3)"]
    assert len(api.server.requests[-1].body["messages"]) == 7
    stranger.page("pi.ask", "here")
    assert len(api.server.requests[-1].body["messages"]) == 3  # the first "go on", its answer, and this


def test_what_is_refused_is_told(stranger: Stranger, api: Api) -> None:
    api.will(Reply(wait_s=5))
    stranger.run("pi.ask", "long")
    api.until(lambda: api.server.requests)
    assert "the window is running" in stranger.told("pi.ask", "too early")
    stranger.editor.call("pi/abort")
    stranger.choices = [0]
    assert "not found" in stranger.told("pi.switchBranch", "nothing")


@pytest.mark.parametrize("client", ["visual-studio-code", "neovim"])
def test_the_editors_capabilities(client: str, api: Api, home: Home, start: Callable[..., Editor]) -> None:
    stranger = Stranger(start, bundled(client))
    api.will(Reply(text="Fine."))
    assert "Fine." in stranger.page("pi.ask", "How are you?")
