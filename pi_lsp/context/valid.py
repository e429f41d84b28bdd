"""Repair: whatever the steps before left, the request is one that the Messages API takes.

The rules are those that providers were seen to enforce. Each repair is recorded; a history that needs none passes
through as it is, and what was repaired once needs no repair again.
"""

from pi_lsp.base.json import Json, JsonObject, as_object, as_str, objects
from pi_lsp.context.blocks import clean_blocks
from pi_lsp.context.clean import is_blank
from pi_lsp.context.fate import Change
from pi_lsp.context.images import fit_images
from pi_lsp.context.model import Model
from pi_lsp.context.prompt_state import current_system
from pi_lsp.context.results import pair_results
from pi_lsp.context.trace import Item, Traced, changed
from pi_lsp.context.wording import WORDING, Wording
from pi_lsp.session.messages import Message, blocks_of, role_of


def make_valid(traced: Traced, model: Model, wording: Wording = WORDING) -> Traced:
    """The messages (system, user, assistant, toolResult) of a valid request to `model`.

    A system message, if any, comes first; then a person's message; never an answer last. Where nothing of anybody is
    left, there is nothing to send: the result holds no message but perhaps the system prompt.
    """
    return framed(repaired(traced, model), model, wording)


def repaired(traced: Traced, model: Model) -> Traced:
    """The first half of `make_valid`: each message, and each call with its result, such that it may be sent."""
    return pair_results(clean_blocks(fit_images(traced, model)))


def framed(traced: Traced, model: Model, wording: Wording = WORDING) -> Traced:
    """The second half: how the whole begins and ends, and where its system messages stand."""
    conversation = [item for item in traced.items if role_of(item.message) != "system"]
    if not conversation:
        return _system_first(traced, [])
    opened = traced.items
    if role_of(conversation[0].message) == "assistant":
        opened = [_said(conversation[0].source, wording.opening), *opened]
    if role_of(conversation[-1].message) == "assistant":
        opened = [*opened, _said(conversation[-1].source, wording.go_on)]
    if len(conversation) == len(traced.items):
        return Traced(items=opened, changes=traced.changes)
    if model.system_messages:
        return _system_in_place(Traced(items=opened, changes=traced.changes))
    return _system_first(traced, [item for item in opened if role_of(item.message) != "system"])


def _said(source: int, text: str) -> Item:
    return Item(source, {"role": "user", "content": [{"type": "text", "text": text}]}, made=True)


def _system_first(traced: Traced, conversation: list[Item]) -> Traced:
    """All system messages as the one that they amount to, at the head."""
    system = [item for item in traced.items if role_of(item.message) == "system"]
    if not system:
        return Traced(items=conversation, changes=traced.changes)
    head, *later = system
    whole = (current_system([item.message for item in system]) if later else None) or head.message
    folded = [changed(item, "convert", "it is part of the system prompt at the head") for item in later]
    return Traced(items=[head._replace(message=whole), *conversation], changes=traced.changes + folded)


def _system_in_place(traced: Traced) -> Traced:
    """The first system message at the head; the later ones between a person's message and the answer to it."""
    head: list[Item] = []
    items: list[Item] = []
    waiting: list[Item] = []
    changes = list(traced.changes)
    for item in traced.items:
        role = role_of(item.message)
        if role == "system":
            (waiting if head else head).append(item)
            continue
        if role == "assistant" and items and role_of(items[-1].message) != "assistant":
            items += _merged(waiting, changes)
            waiting = []
        items.append(item)
    return Traced(items=[*head, *items, *_merged(waiting, changes)], changes=changes)


def _merged(updates: list[Item], changes: list[Change]) -> list[Item]:
    """Several system messages as one: two in a row are refused."""
    if len(updates) < 2:
        return updates
    first, *others = updates
    changes += [changed(item, "repair", "it is sent in one message with the update before it") for item in others]
    return [first._replace(message=_merge([item.message for item in updates]))]


def _merge(updates: list[Message]) -> Message:
    blocks: list[Json] = []
    sections: JsonObject = {}
    added: JsonObject = {}
    removed: dict[str, Json] = {}
    for update in updates:
        blocks += [block for block in blocks_of(update) if not is_blank(as_str(block.get("text")))]
        sections |= as_object(update.get("sections"))
        for tool in objects(update.get("toolsRemoved")):
            added.pop(as_str(tool.get("name")), None)
            removed[as_str(tool.get("name"))] = tool
        added |= {as_str(tool.get("name")): tool for tool in objects(update.get("toolsAdded"))}
    return {
        **updates[0],
        "content": blocks,
        "sections": sections,
        "toolsAdded": list(added.values()),
        "toolsRemoved": list(removed.values()),
    }
