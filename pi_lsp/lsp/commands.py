"""Commands for editors without a client of ours (protocol.md, Commands).

A command starts its work, answers at once, and reports by progress, messages and pages. Text is written on a page
with a lens that passes it on; where a client shows no lenses, the same command does so when it is called again.
"""

import re
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from pi_lsp.base.json import as_str
from pi_lsp.base.paths import path_to_uri, resolve, uri_to_path
from pi_lsp.lsp.language_server import PiServer
from pi_lsp.lsp.showing import MOST_CHOICES, Report
from pi_lsp.lsp.work import ASK, ASK_PAGE, EXPLAIN, EXPLAIN_PAGE, LENSES, Work

Command: TypeAlias = Callable[[Work, Any], Coroutine[Any, Any, None]]


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
        if name not in LENSES or not connection.screen.has_written(path):
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
        if make is None:
            return types.TextDocumentContentResult("There is no such page.\n")
        return types.TextDocumentContentResult((await make(connection.window, unquote(uri.query))).text)


async def ask(work: Work, argument: Any) -> None:
    """Say something to the model and show its answer."""
    from pi_lsp.agent import events  # noqa: PLC0415  not on the way to the initialize reply
    from pi_lsp.api.chat import ChatParams, ChatResult, chat  # noqa: PLC0415  likewise

    text, draft = work.text_of(argument, ASK_PAGE)
    if not text:
        await work.invite(ASK_PAGE)
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
                    report(f"{event.reason}; again in {event.delay_ms / 1000:.0f} s")
                case events.CompactionStart():
                    report("the conversation is being compacted")
                case _:
                    pass

        work.listen(hear)
        try:
            return await chat(work.window, ChatParams(text=text))
        finally:
            work.ignore(hear)

    with work.passing_on(ASK_PAGE, draft):
        result = await work.progress("pi: asking", talk)
    if result.stop_reason == "cancelled":
        work.screen.message("pi: cancelled; what had arrived is in the session.")
    if result.error:
        work.screen.message(f"pi: {result.error}", types.MessageType.Error)
    await work.show("chat")


async def compact(work: Work, argument: Any) -> None:
    """Compact the conversation now."""
    from pi_lsp.api import doing  # noqa: PLC0415  not on the way to the initialize reply
    from pi_lsp.api.compaction import CompactParams  # noqa: PLC0415  likewise
    from pi_lsp.lsp.page import about_tokens  # noqa: PLC0415  likewise

    params = CompactParams(instructions=work.text_of(argument)[0] or None)
    done = await work.progress("pi: compacting", lambda report: doing.compact(work.window, params, report))
    if done.stop_reason == "cancelled":
        work.screen.message("pi: cancelled; nothing was changed.")
        return
    writers = {"model": "the model wrote the summary", "hook": "a hook wrote the summary"}
    who = writers.get(done.summarizer or "", "the summary was made without a model")
    why = f" ({done.error})" if done.error else ""
    before, after = about_tokens(done.tokens_before or 0), about_tokens(done.tokens_after or 0)
    work.screen.message(f"pi: compacted from {before} to {after}; {who}{why}.")


async def switch_branch(work: Work, argument: Any) -> None:
    """Go to another place of the session tree."""
    from pi_lsp.api import doing, tree  # noqa: PLC0415  not on the way to the initialize reply
    from pi_lsp.api.switching import SwitchParams, SwitchResult  # noqa: PLC0415  likewise

    target = as_str(argument)
    if not target:
        shown = await tree.tree(work.window, tree.TreeParams(filter="userOnly", limit=100_000))
        newest = sorted(shown.nodes, key=lambda node: node.time)[::-1][:MOST_CHOICES]
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

    done = await work.progress("pi: switching", go)
    if done.stop_reason == "cancelled":
        work.screen.message("pi: cancelled; nothing was changed.")
    elif done.editor_text:
        await work.invite(ASK_PAGE, done.editor_text)
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
    query, draft = work.text_of(argument, EXPLAIN_PAGE)
    if not query:
        await work.invite(EXPLAIN_PAGE)
        return
    with work.passing_on(EXPLAIN_PAGE, draft):
        await work.show("explain", query)


async def show_context(work: Work, _argument: Any) -> None:
    """Show what the model would see."""
    await work.show("context")


async def preview_compaction(work: Work, _argument: Any) -> None:
    """Show what a compaction would do."""
    await work.show("preview")


async def show_rules(work: Work, argument: Any) -> None:
    """Show the rules that apply to a file or folder: a URI, or a path that starts at the working directory."""
    place = as_str(argument).strip()
    if place and "://" not in place:
        place = path_to_uri(resolve(place, work.window.place))
    await work.show("rules", place)


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
