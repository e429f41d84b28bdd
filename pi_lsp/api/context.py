"""`pi/context`: what the model would see, piece by piece, with what each piece weighs."""

from collections.abc import Iterator, Mapping

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.events import Source
from pi_lsp.agent.view import View
from pi_lsp.agent.window import Window
from pi_lsp.api.look import compaction_settings, view_of
from pi_lsp.base.json import JsonObject, as_object, as_str, encode, objects
from pi_lsp.base.paths import path_to_uri
from pi_lsp.base.wire import Wire
from pi_lsp.context.estimate import TokenCounter
from pi_lsp.context.prompt import PREAMBLE
from pi_lsp.context.refs import message_preview
from pi_lsp.llm.body import request_body
from pi_lsp.resources.settings import CompactionSettings
from pi_lsp.resources.system_files import PromptFiles
from pi_lsp.session.messages import role_of, text_of

CONTENT = "content"
"""The name of what a system message says outside its sections."""


class ContextParams(Wire, frozen=True, kw_only=True):
    """`leaf_id`: the entry to look from, by default the window's leaf; `full`: with the request itself."""

    leaf_id: str | None = None
    full: bool = False


class ContextSection(Wire, frozen=True, kw_only=True):
    """A section of the system prompt; each rule file is one, named `project_context`.

    `uri` is the file it was made of, `entry_id` the entry that stores the very same text.
    """

    name: str
    tokens: int
    uri: str | None = None
    entry_id: str | None = None


class ContextTool(Wire, frozen=True, kw_only=True):
    """A tool that the model is offered, and the entry that stores its declaration."""

    name: str
    tokens: int
    entry_id: str | None = None


class ContextMessage(Wire, frozen=True, kw_only=True):
    """A message as it would be sent. `added`: no entry holds it, it was put in for the one of `entry_id`."""

    entry_id: str
    role: str
    tokens: int
    preview: str
    added: bool = False


class Context(Wire, frozen=True, kw_only=True):
    """The next request, in the order in which the model reads it. All numbers are tokens.

    Every piece is counted by itself, so its number is an estimate. `total` is what all meters show: where `source` is
    `measured`, what the provider billed up to the last answer and an estimate of what came after; else the estimate
    of the prompt and the stored messages. So the pieces add up to about `total`, not to exactly that. `doubt` says
    why a usage that the provider reported is not believed.

    The model may see `window` tokens; compaction keeps `reserve` of them free and about `keep_recent` as they are.
    """

    sections: list[ContextSection]
    tools: list[ContextTool]
    messages: list[ContextMessage]
    total: int
    window: int
    reserve: int
    keep_recent: int
    source: Source
    doubt: str | None = None
    request: JsonObject | None = None


async def context(window: Window, params: ContextParams) -> Context:
    """What would be sent from a leaf. Raises RefusedError for an unknown one."""
    return await window.in_session(_context, window, params)


def context_of(
    view: View, files: PromptFiles, settings: CompactionSettings, counter: TokenCounter, *, full: bool = False
) -> Context:
    """A view as the wire has it. `files` are what SYSTEM.md and APPEND_SYSTEM.md say now."""
    size = view.size(counter)
    return Context(
        sections=list(_sections(view, files, counter)),
        tools=list(_tools(view, counter)),
        messages=list(_messages(view, counter)),
        total=size.tokens,
        window=view.model.context_window,
        reserve=settings.reserve_tokens,
        keep_recent=settings.keep_recent_tokens,
        source="measured" if size.measured else "estimated",
        doubt=size.doubt,
        request=request_body(view.request_messages, view.model, level=view.level) if full else None,
    )


def _context(conversation: Conversation, window: Window, params: ContextParams) -> Context:
    view = view_of(window, conversation, params.leaf_id)
    files = window.workspace.prompt_files(window.place, trusted=window.trust().trusted)
    settings = compaction_settings(window, view.model)
    return context_of(view, files, settings, view.affordable(window.counting.counter), full=params.full)


def _sections(view: View, files: PromptFiles, counter: TokenCounter) -> Iterator[ContextSection]:
    for part in view.prompt_trace:
        if part.sent and (text := text_of(part.sent)):
            yield ContextSection(name=CONTENT, tokens=counter.text(text), entry_id=part.entry_id)
    stored = {
        name: part.entry_id for part in view.prompt_trace if part.sent for name in as_object(part.sent.get("sections"))
    }
    uris = _sources(view, files)
    for name, text in view.sections.items():
        if name == "project_context":
            yield from _rule_files(view, text, counter, stored.get(name))
        else:
            yield ContextSection(name=name, tokens=counter.text(text), uri=uris.get(name), entry_id=stored.get(name))


def _rule_files(view: View, section: str, counter: TokenCounter, entry_id: str | None) -> Iterator[ContextSection]:
    """The sentence that introduces the rule files, then the files one by one, each with its tags."""
    uris: list[str | None] = [None]
    starts = [0]
    behind = 0
    for file in view.parts.context_files:
        start = section.find(f'<project_instructions path="{file.path}">\n{file.content}\n', behind)
        if start >= 0:
            uris.append(path_to_uri(file.path))
            starts.append(start)
            behind = start + len(file.content)
    for uri, start, end in zip(uris, starts, [*starts[1:], len(section)], strict=True):
        tokens = counter.text(section[start:end])
        yield ContextSection(name="project_context", tokens=tokens, uri=uri, entry_id=entry_id)


def _sources(view: View, files: PromptFiles) -> Mapping[str, str]:
    """The files of which sections were made, those of them that still say the same."""
    sources: dict[str, str] = {}
    if files.system_prompt_source and files.system_prompt == view.sections.get(PREAMBLE):
        sources[PREAMBLE] = path_to_uri(files.system_prompt_source)
    if files.append_sources and view.parts.addendum == "\n\n".join(files.append):
        sources["addendum"] = path_to_uri(files.append_sources[0])
    return sources


def _tools(view: View, counter: TokenCounter) -> Iterator[ContextTool]:
    stored = {
        as_str(tool.get("name")): part.entry_id
        for part in view.prompt_trace
        if part.sent
        for tool in objects(part.sent.get("toolsAdded"))
    }
    for tool in view.tools:
        name = as_str(tool.get("name"))
        yield ContextTool(name=name, tokens=counter.text(encode(tool)), entry_id=stored.get(name))


def _messages(view: View, counter: TokenCounter) -> Iterator[ContextMessage]:
    for entry_id, item in view.sent_conversation:
        yield ContextMessage(
            entry_id=entry_id,
            role=role_of(item.message),
            tokens=counter.message(item.message),
            preview=message_preview(item.message),
            added=item.made,
        )
