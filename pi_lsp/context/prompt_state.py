"""What system prompt a session has in force: system messages store differences, and replaying them gives the whole.

The first system message of a session holds every section and tool, each later one what has changed since, in Pi
1.6.0's form: `sections` (a text, or null for a section that went), `toolsAdded`, `toolsRemoved`.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from pi_lsp.base.json import Json, JsonObject, as_object, as_str, encode, objects
from pi_lsp.session.messages import Message, role_of, text_of

Tool = JsonObject
"""A tool as a session stores it: name, description, parameters (a JSON schema)."""


class ToolChanges(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What leads from one set of tools to another. A tool that changed stands in both lists."""

    tools_added: list[Tool]
    tools_removed: list[JsonObject]
    """Each only `{"name": ...}`."""


def diff_sections(previous: Mapping[str, str | None], current: Mapping[str, str]) -> dict[str, str | None] | None:
    """The patch from one set of sections to another, None where they are equal.

    New and changed sections come first, in their order; then null for each that went.
    """
    patch: dict[str, str | None] = {name: text for name, text in current.items() if previous.get(name) != text}
    patch |= dict.fromkeys(name for name in previous if name not in current)
    return patch or None


def tool_changes(previous: Iterable[Tool], current: Iterable[Tool]) -> ToolChanges:
    """Compare two sets of tools by name and by what a model is told of each; their order does not matter."""
    before = [(_name(tool), _declaration(tool)) for tool in previous]
    after = [(_name(tool), _declaration(tool)) for tool in current]
    known, wanted = ({name: encode(tool) for name, tool in tools} for tools in (before, after))
    return ToolChanges(
        tools_added=[tool for name, tool in after if known.get(name) != encode(tool)],
        tools_removed=[{"name": name} for name, tool in before if wanted.get(name) != encode(tool)],
    )


def current_system(messages: Iterable[Message]) -> Message | None:
    """The one system message that all of them amount to; None where there is none.

    Contents follow each other after a blank line. A section keeps its place when it changes and goes to the end when
    it comes back; a tool likewise. The time is the first that is given, else 0.
    """
    system = [message for message in messages if role_of(message) == "system"]
    if not system:
        return None
    sections: dict[str, str] = {}
    tools: dict[str, Json] = {}
    for message in system:
        for name, text in as_object(message.get("sections")).items():
            if isinstance(text, str):
                sections[name] = text
            else:
                sections.pop(name, None)
        for tool in objects(message.get("toolsRemoved")):
            tools.pop(_name(tool), None)
        tools |= {_name(tool): tool for tool in objects(message.get("toolsAdded"))}
    whole: Message = {"role": "system", "content": "\n\n".join(filter(None, map(text_of, system)))}
    if sections:
        whole["sections"] = {**sections}
    if tools:
        whole["toolsAdded"] = list(tools.values())
    times = (message["timestamp"] for message in system if message.get("timestamp") is not None)
    whole["timestamp"] = next(times, 0)
    return whole


def system_text(message: Message) -> str:
    """The prompt that a system message holds: its content, then its sections, with a blank line between."""
    sections = as_object(message.get("sections"))
    return "\n\n".join(filter(None, [text_of(message), *map(as_str, sections.values())]))


def collapse(messages: Sequence[Message]) -> list[Message]:
    """The messages for a model that takes one system message only: the whole prompt first, later changes gone."""
    whole = current_system(messages)
    others = [message for message in messages if role_of(message) != "system"]
    return others if whole is None else [whole, *others]


def render_update(message: Message) -> str:
    """The text of a later system message for a model that takes it where it stands."""
    updates = [
        f'Updated system prompt section "{name}":\n\n{text}'
        if isinstance(text, str)
        else f'Removed system prompt section "{name}".'
        for name, text in as_object(message.get("sections")).items()
    ]
    return "\n\n".join(filter(None, [text_of(message), *updates]))


def _declaration(tool: Tool) -> Tool:
    keys = ("name", "description", "parameters", "constrainedSampling")
    return {key: tool[key] for key in keys if key in tool}


def _name(tool: JsonObject) -> str:
    return as_str(tool.get("name"))
