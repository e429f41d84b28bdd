"""Finishing a conversation that goes on: what was prepared for the last request is not prepared again.

A turn adds a few messages to hundreds. They are prepared by themselves wherever nothing that stands before them can
have a part in it, and what it gives is what `finish` gives of the whole.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from pi_lsp.base.json import as_str
from pi_lsp.context.clean import clean_text
from pi_lsp.context.convert import to_llm
from pi_lsp.context.finish import prepare
from pi_lsp.context.model import Model
from pi_lsp.context.pairing import normalize_id
from pi_lsp.context.trace import Item, Traced
from pi_lsp.context.valid import framed
from pi_lsp.session.messages import Message, begins_with, blocks_of, role_of, tool_calls_of

KEPT_BYTES = 4 << 20
"""What is made of a context that takes more in its file, or in a request, is not held in memory for the next."""


class Finisher:
    """Gives what `finish` gives of messages that do not change. Keeps the last ones: let go of it with them."""

    def __init__(self) -> None:
        self._messages: Sequence[Message] = ()
        self._model: Model | None = None
        self._prepared = Traced(items=[], changes=[])
        self._ids: set[str] = set()
        """Of the tool calls in them, as they were and as they are sent."""

    def __call__(self, messages: Sequence[Message], model: Model) -> Traced:
        """The messages of a valid request to `model`; see `finish`."""
        kept = len(self._messages)
        goes_on = model == self._model and begins_with(messages, self._messages)
        later = messages[kept:]
        if goes_on and _stand_alone(later, self._ids):
            new = prepare(later, model)
            changes = [msgspec.structs.replace(change, index=change.index + kept) for change in new.changes]
            items = [Item(item.source + kept, item.message, item.made) for item in new.items]
            self._prepared = Traced(items=self._prepared.items + items, changes=self._prepared.changes + changes)
            self._ids.update(_call_ids(later), _call_ids(new.messages))
        elif not goes_on or later:
            self._prepared = prepare(messages, model)
            self._ids = {*_call_ids(messages), *_call_ids(self._prepared.messages)}
        self._messages, self._model = messages, model
        return framed(self._prepared, model)


def _stand_alone(messages: Sequence[Message], ids: set[str]) -> bool:
    """Whether messages come out of `prepare` as they would behind others, whose calls have these ids.

    A person's word or an answer is the first: all calls before it are over. No result belongs to an earlier call, no
    id has to give way to another, and no image to images.
    """
    said = to_llm(list(messages))
    if not said or role_of(said[0]) not in ("user", "assistant"):
        return False
    if any(block.get("type") == "image" for message in said for block in blocks_of(message)):
        return False
    called = list(_call_ids(said))
    sent = {normalize_id(clean_text(call_id)) or "call" for call_id in called}
    results = {as_str(message.get("toolCallId")) for message in said if role_of(message) == "toolResult"}
    return len(sent) == len(called) and results <= {*called} and ids.isdisjoint({*called, *sent})


def _call_ids(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        if role_of(message) == "assistant":
            for call in tool_calls_of(message):
                yield as_str(call.get("id"))
