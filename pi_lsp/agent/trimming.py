"""Old, large tool results cut to their two ends, which is often enough and costs no summary.

The stored results stay as they are: edits stand for them in the context, `pi/explain` shows them, and
`pi/context/restore` brings a text back.
"""

from collections.abc import Iterable, Iterator

import msgspec

from pi_lsp.base.text import cut_middle, utf16_length
from pi_lsp.context.estimate import PI_COUNTER
from pi_lsp.context.select import Projection
from pi_lsp.session.actions import append_context_edit
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message, blocks_of, role_of, text_of
from pi_lsp.session.store import Session

LARGE_UNITS = 4000
"""A result with more UTF-16 units of text than this is large."""

KEPT_UNITS = 1000
"""What is kept of it, in UTF-16 units: two thirds from the start, one from the end."""

WORTHWHILE_TOKENS = 4000
"""Less than this is not worth it: the provider reads everything behind the first edit anew, without its cache."""


class Trim(msgspec.Struct, frozen=True, kw_only=True):
    """A tool result that is to be cut."""

    entry_id: str
    text: str
    """What will stand for it."""
    saved_tokens: int
    """By Pi's rule."""


def plan_trims(projection: Projection, keep_recent_tokens: int) -> list[Trim]:
    """The results to cut, oldest first; none where it would save too little.

    The newest `keep_recent_tokens` tokens stay as they are. What is cut already is not large any more.
    """
    trims: list[Trim] = []
    tokens = 0
    for selected in reversed(projection.entries):
        if tokens >= keep_recent_tokens:
            trims += [_trimmed(selected.entry.id, message) for message in selected.messages if _is_large(message)]
        tokens += sum(map(PI_COUNTER.message, selected.messages))
    return trims[::-1] if sum(trim.saved_tokens for trim in trims) >= WORTHWHILE_TOKENS else []


def trim(session: Session, trims: Iterable[Trim]) -> Iterator[Entry]:
    """Append the edits. Raises as `Session.append`."""
    for one in trims:
        yield append_context_edit(session, one.entry_id, {"content": one.text})


def _is_large(message: Message) -> bool:
    return role_of(message) == "toolResult" and utf16_length(text_of(message)) > LARGE_UNITS


def _trimmed(entry_id: str, message: Message) -> Trim:
    text = cut_middle(text_of(message), KEPT_UNITS)
    if images := sum(block.get("type") == "image" for block in blocks_of(message)):
        text += f"\n\n[{images} image{'s' if images > 1 else ''} left out]"
    after: Message = {"role": "toolResult", "content": [{"type": "text", "text": text}]}
    return Trim(entry_id=entry_id, text=text, saved_tokens=PI_COUNTER.message(message) - PI_COUNTER.message(after))
