"""What a run appends to the session, in the order in which Pi 1.6.0 does it."""

import time
from collections.abc import Iterator, Mapping, Sequence

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.speaker import Speaker
from pi_lsp.base.json import JsonObject, as_str
from pi_lsp.context.prompt import PromptParts
from pi_lsp.context.prompt_state import diff_sections
from pi_lsp.session.actions import append_context_edit, append_message, append_model, append_thinking_level
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message, tool_calls_of

NO_TOOLS = "The tool was not run: this window runs no tools. Go on without it."


class MovedError(Exception):
    """Another program moved the leaf just before a prompt; nothing was said."""

    def __init__(self) -> None:
        super().__init__("another program went on with this session just now: look at what it wrote, then send again")


def begin_prompt(
    conversation: Conversation, messages: Sequence[Message], parts: PromptParts, speaker: Speaker
) -> Iterator[Entry]:
    """Append the user's messages, and before them what has changed: the model, the thinking level, the prompt."""
    session = conversation.session
    view = conversation.view(conversation.leaf_id, parts, speaker.model)
    choice, level = view.projection.model, view.projection.thinking_level
    says_level = any(entry.type == "thinking_level_change" for entry in view.path)
    asked = (speaker.model.provider, speaker.model.id)
    if choice is None or (choice.provider, choice.model_id) != asked:
        yield append_model(session, *asked)
    if level != speaker.level or not says_level:
        yield append_thinking_level(session, speaker.level)
    if (prompt := prompt_change(view.stored_prompt, view.stored_sections, view.sections)) is not None:
        yield append_message(session, prompt)
    for message in messages:
        yield append_message(session, message)


def prompt_change(stored: Message | None, before: JsonObject, after: Mapping[str, str]) -> Message | None:
    """The system message that brings the session's prompt to what it is now; None where it is that already."""
    if stored is None:
        return {"role": "system", "content": "", "sections": {**after}, "timestamp": now_ms()}
    known = {name: text for name, text in before.items() if isinstance(text, str)}
    patch = diff_sections(known, after)
    return {"role": "system", "content": "", "sections": {**patch}, "timestamp": now_ms()} if patch else None


def omit(conversation: Conversation, failed: Entry) -> Iterator[Entry]:
    """Take a failed attempt out of the context."""
    yield append_context_edit(conversation.session, failed.id, None)


def tool_refusals(conversation: Conversation, answer: Message) -> Iterator[Entry]:
    """Answer every tool call of an answer with the error that nothing here runs it."""
    cut = answer.get("stopReason") == "length"
    for call in tool_calls_of(answer):
        name = as_str(call.get("name"))
        text = f"The answer was cut at its limit, so the call of {name} was not run. Say it anew." if cut else NO_TOOLS
        yield append_message(
            conversation.session,
            {
                "role": "toolResult",
                "toolCallId": as_str(call.get("id")),
                "toolName": name,
                "content": [{"type": "text", "text": text}],
                "isError": True,
                "timestamp": now_ms(),
            },
        )


def now_ms() -> int:
    """The time in ms since 1970."""
    return time.time_ns() // 1_000_000
