"""Commands for editors without a client of ours (protocol.md, Commands).

A command starts its work, answers at once, and reports by progress, messages and pages. Text is written on a page
with a lens that passes it on.
"""

import asyncio
import re
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from pi_lsp.base.json import as_object, as_str
from pi_lsp.base.paths import uri_to_path
from pi_lsp.lsp.language_server import PiServer
from pi_lsp.lsp.showing import MOST_CHOICES, Report, is_page

if TYPE_CHECKING:
    from pi_lsp.agent.events import Event
    from pi_lsp.agent.window import Window

Command: TypeAlias = Callable[["Work", Any], Coroutine[Any, Any, None]]

ASK, EXPLAIN = "pi.ask", "pi.explain"
LENSES = {"pi-ask.md": (ASK, "Send"), "pi-explain.md": (EXPLAIN, "Explain")}
"""The pages to write on: the command that takes the text, and what its lens is called."""
INVITATION = '<!-- Write below this line, then "{}". -->\n\n'

_INVITATION = re.compile(r"\s*<!--.*?-->\s*", re.DOTALL)


def register(server: PiServer) -> None:
    """Register the commands, the lenses of the pages to write on, and the texts of the others."""
    connection = server.connection

    def add(name: str, command: Command) -> None:
        @server.command(name)
        async def _(*arguments: Any) -> dict[str, bool]:
            work = command(Work(server), arguments[0] if arguments else None)
            connection.spawn(connection.attempt(work))
            return {"started": True}

    for name, command in COMMANDS.items():
        add(name, command)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def _(params: types.CodeLensParams) -> list[types.CodeLens]:
        path = uri_to_path(params.text_document.uri) or ""
        name = re.split(r"[/\\]", path)[-1]
        if name not in LENSES or not is_page(path):
            return []
        command, title = LENSES[name]
        argument = {"page": params.text_document.uri}
        start = types.Position(0, 0)
        return [types.CodeLens(types.Range(start, start), types.Command(title, command, arguments=[argument]))]

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    async def _(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        from pi_lsp.lsp.command_pages import PAGES  # noqa: PLC0415  not on the way to the initialize reply

        uri = urlsplit(params.uri)
        make = PAGES.get(uri.path.strip("/").partition("/")[0])
        text = await make(connection.window, unquote(uri.query)) if make else "There is no such page.\n"
        return types.TextDocumentContentResult(text)


class Work:
    """One command at work."""

    def __init__(self, server: PiServer) -> None:
        self.screen = server.connection.screen
        self._server = server

    @property
    def window(self) -> "Window":
        """The window that the command is for."""
        return self._server.connection.window

    def listen(self, hear: "Callable[[Event], object]") -> None:
        """Hear what happens in the window."""
        self._server.connection.listeners.append(hear)

    def ignore(self, hear: "Callable[[Event], object]") -> None:
        """Hear no more."""
        self._server.connection.listeners.remove(hear)

    def text_of(self, argument: Any) -> str:
        """The text of an argument: itself, or what is written on the page that it names."""
        page = as_str(as_object(_plain(argument)).get("page"))
        if not page:
            return as_str(argument).strip()
        return _INVITATION.sub("", self._server.workspace.get_text_document(page).source, count=1).strip()

    async def show(self, name: str, argument: str = "") -> None:
        """Open a page of the window."""
        from pi_lsp.lsp.command_pages import PAGES  # noqa: PLC0415  not on the way to the initialize reply

        await self.window.ready()
        await self.screen.page(name, argument, self.window.session_id, lambda: PAGES[name](self.window, argument))

    async def invite(self, name: str, text: str = "") -> None:
        """Open a page to write on."""
        invitation = INVITATION.format(LENSES[name][1])
        await self.screen.open(await asyncio.to_thread(self.screen.write, name, invitation + text))


async def ask(work: Work, argument: Any) -> None:
    """Say something to the model and show its answer."""
    from pi_lsp.agent import events  # noqa: PLC0415  not on the way to the initialize reply
    from pi_lsp.api.chat import ChatParams, ChatResult, chat  # noqa: PLC0415  likewise

    text = work.text_of(argument)
    if not text:
        await work.invite("pi-ask.md")
        return

    async def talk(report: Report) -> ChatResult:
        arrived = 0

        def hear(event: events.Event) -> None:
            nonlocal arrived
            match event:
                case events.MessageDelta():
                    arrived += len(event.delta)
                    report(f"{arrived} characters of the answer")
                case events.RetryScheduled():
                    report(f"again in {event.delay_ms / 1000:.0f} s: {event.error}")
                case events.CompactionStart():
                    report("the conversation is being compacted")
                case _:
                    pass

        work.listen(hear)
        try:
            return await chat(work.window, ChatParams(text=text))
        finally:
            work.ignore(hear)

    result = await work.screen.progress("pi: asking", talk)
    if result.stop_reason == "cancelled":
        work.screen.message("pi: cancelled; what had arrived is in the session.")
    if result.error:
        work.screen.message(f"pi: {result.error}", types.MessageType.Error)
    await work.show("chat")


async def compact(work: Work, argument: Any) -> None:
    """Compact the conversation now."""
    from pi_lsp.api import doing  # noqa: PLC0415  not on the way to the initialize reply
    from pi_lsp.api.compaction import CompactParams  # noqa: PLC0415  likewise

    params = CompactParams(instructions=work.text_of(argument) or None)
    done = await work.screen.progress("pi: compacting", lambda report: doing.compact(work.window, params, report))
    if done.stop_reason == "cancelled":
        work.screen.message("pi: cancelled; nothing was changed.")
        return
    why = f" ({done.error})" if done.error else ""
    work.screen.message(
        f"pi: compacted from {done.tokens_before} to about {done.tokens_after} tokens; summary: {done.summarizer}{why}."
    )


async def switch_branch(work: Work, argument: Any) -> None:
    """Go to another place of the session tree."""
    from pi_lsp.api import doing, tree  # noqa: PLC0415  not on the way to the initialize reply
    from pi_lsp.api.switching import SwitchParams, SwitchResult  # noqa: PLC0415  likewise

    target = as_str(argument)
    if not target:
        shown = await tree.tree(work.window, tree.TreeParams(filter="userOnly", limit=100_000))
        newest = sorted(shown.nodes, key=lambda node: node.time, reverse=True)[:MOST_CHOICES]
        if not newest:
            work.screen.message("pi: nothing was said in this session yet.")
            return
        place = await work.screen.choose("Go back to before which message?", [node.preview for node in newest])
        if place is None:
            return
        target = newest[place].id
    summarizers = ("none", "model", "local")
    wish = await work.screen.choose(
        "Shall what is left be summarised?", ["No", "Yes, by the model", "Yes, without a model"]
    )
    if wish is None:
        return

    async def go(report: Report) -> SwitchResult:
        return await doing.switch(work.window, SwitchParams(target_id=target, summarizer=summarizers[wish]), report)

    done = await work.screen.progress("pi: switching", go)
    if done.stop_reason == "cancelled":
        work.screen.message("pi: cancelled; nothing was changed.")
    elif done.editor_text:
        await work.invite("pi-ask.md", done.editor_text)
    else:
        work.screen.message("pi: the conversation goes on from there.")


async def new_session(work: Work, _argument: Any) -> None:
    """Begin a session."""
    from pi_lsp.api import sessions  # noqa: PLC0415  not on the way to the initialize reply

    await sessions.new_session(work.window, sessions.NewParams())
    work.screen.message("pi: a new session; it is written at its first message.")


async def open_session(work: Work, _argument: Any) -> None:
    """Go over to another session."""
    from pi_lsp.api import sessions  # noqa: PLC0415  not on the way to the initialize reply

    found = (await sessions.list_sessions(work.window, sessions.ListParams(limit=MOST_CHOICES))).sessions
    if not found:
        work.screen.message("pi: this folder has no sessions yet.")
        return
    titles = [session.name or session.first_message or session.id for session in found]
    place = await work.screen.choose("Which session?", titles)
    if place is not None:
        await sessions.open_session(work.window, sessions.OpenParams(file=found[place].file))
        await work.show("chat")


async def explain(work: Work, argument: Any) -> None:
    """Say where a text stands, and whether the model knows it."""
    query = work.text_of(argument)
    if query:
        await work.show("explain", query)
    else:
        await work.invite("pi-explain.md")


async def show_context(work: Work, _argument: Any) -> None:
    """Show what the model would see."""
    await work.show("context")


async def preview_compaction(work: Work, _argument: Any) -> None:
    """Show what a compaction would do."""
    await work.show("preview")


async def show_rules(work: Work, argument: Any) -> None:
    """Show the rules that apply to a file."""
    await work.show("rules", as_str(argument))


async def show_tree(work: Work, _argument: Any) -> None:
    """Show the session tree."""
    await work.show("tree")


COMMANDS: Mapping[str, Command] = {
    ASK: ask,
    "pi.compact": compact,
    "pi.previewCompaction": preview_compaction,
    "pi.switchBranch": switch_branch,
    "pi.newSession": new_session,
    "pi.openSession": open_session,
    "pi.showContext": show_context,
    EXPLAIN: explain,
    "pi.showRules": show_rules,
    "pi.showTree": show_tree,
}


def _plain(value: Any) -> Any:
    """An argument as JSON: pygls makes tuples with names of objects."""
    return value._asdict() if hasattr(value, "_asdict") else value
