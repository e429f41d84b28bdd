"""The body of a request to the Anthropic Messages API. Pure: the same history gives the same bytes.

Request n+1 repeats request n up to its last breakpoint, so the provider reads it from its cache. The four breakpoints
that the API allows: the system prompt, the tools, the person's previous message, the present one.
"""

from collections.abc import Callable, Iterable, Sequence

from pi_lsp.base.json import Json, JsonObject, as_list, as_object, as_str, objects
from pi_lsp.context.clean import clean_json, clean_name, clean_text, is_blank
from pi_lsp.context.model import Model
from pi_lsp.context.prompt_state import current_system, system_text
from pi_lsp.llm.messages import anthropic_messages, marked
from pi_lsp.llm.thinking import thinking_fields
from pi_lsp.session.messages import Message, role_of

_BREAKPOINT: Json = {"type": "ephemeral"}
# What Pi sends of a tool's schema: the API refuses some other keywords at its top.
_SCHEMA_KEYS = ("additionalProperties", "$defs", "definitions")


def request_body(
    messages: Sequence[Message],
    model: Model,
    *,
    level: str = "off",
    max_tokens: int | None = None,
    cache: bool = True,
    converted: Callable[..., list[JsonObject]] = anthropic_messages,
) -> JsonObject:
    """The whole request, without `stream`.

    Args:
        messages: as `finish` gives them; a system message may lead. They hold the tools, too.
        model: the model that is asked.
        level: the thinking level; one that the model does not know gives way to the nearest.
        max_tokens: the most that may be answered; by default all that the model can.
        cache: set the breakpoints.
        converted: gives what `anthropic_messages` gives; the list is changed.
    """
    limit = min(max_tokens or model.max_tokens, model.max_tokens)
    sent = converted(messages, allow_empty_signature=model.takes_empty_signatures)
    body: JsonObject = {"model": model.id, "max_tokens": limit, **thinking_fields(model, level, limit)}
    if as_object(body.get("thinking")).get("type") == "enabled" and not _turn_began_with_thinking(sent):
        body["thinking"] = {"type": "disabled"}
    if messages and role_of(messages[0]) == "system" and not is_blank(text := clean_text(system_text(messages[0]))):
        body["system"] = [_with_breakpoint({"type": "text", "text": text}, cache)]
    if tools := _tools(messages):
        body["tools"] = [*tools[:-1], _with_breakpoint(tools[-1], cache and model.cache_marks_on_tools)]
    body["messages"] = list(_with_breakpoints(sent) if cache else sent)
    return body


def _with_breakpoint(block: JsonObject, cache: bool) -> JsonObject:
    return {**block, "cache_control": _BREAKPOINT} if cache else block


def _with_breakpoints(sent: list[JsonObject]) -> list[JsonObject]:
    """Marks on the last message and on the one that was last in the request before."""
    places = [place for place, message in enumerate(sent) if message["role"] != "assistant"]
    answers = [place for place, message in enumerate(sent) if message["role"] == "assistant"]
    before = [place for place in places if answers and place < answers[-1]]
    for place in {*before[-1:], *places[-1:]}:
        sent[place] = marked(sent[place])
    return sent


def _tools(messages: Iterable[Message]) -> list[JsonObject]:
    """The tools in force after all system messages, one of a name."""
    tools: dict[str, JsonObject] = {}
    for tool in objects((current_system(messages) or {}).get("toolsAdded")):
        name = clean_name(as_str(tool.get("name")))
        tools.setdefault(name, _tool(name, tool))
    return list(tools.values())


def _tool(name: str, tool: JsonObject) -> JsonObject:
    schema = as_object(tool.get("parameters"))
    input_schema: JsonObject = {
        "type": "object",
        "properties": _schemas(as_object(schema.get("properties"))),
        "required": _names(schema.get("required")),
        **_schemas({key: schema[key] for key in _SCHEMA_KEYS if key in schema}),
    }
    sent: JsonObject = {"name": name, "description": as_str(tool.get("description")), "input_schema": input_schema}
    return as_object(clean_json(sent))


def _schemas(fields: JsonObject) -> JsonObject:
    """The fields that hold a schema: an object or a boolean."""
    return {key: value for key, value in fields.items() if isinstance(value, dict | bool)}


def _names(required: Json) -> list[Json]:
    names: dict[str, None] = dict.fromkeys(name for name in as_list(required) if isinstance(name, str))
    return list(names)


def _turn_began_with_thinking(sent: list[JsonObject]) -> bool:
    """Whether the answers with calls since the person last spoke begin with thinking, as a thinking budget demands."""
    for message in reversed(sent):
        blocks = list(objects(message["content"]))
        kinds = [block.get("type") for block in blocks]
        if message["role"] == "user" and "tool_result" not in kinds:
            return True
        if message["role"] == "assistant" and "tool_use" in kinds and kinds[0] not in ("thinking", "redacted_thinking"):
            return False
    return True
