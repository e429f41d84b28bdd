"""The tokens of a projection: the usage that a provider reported, where it still holds."""

from collections.abc import Sequence
from itertools import takewhile

from pi_lsp.context.estimate import PI_COUNTER, ContextEstimate, TokenCounter, believed_usage, usage_tokens
from pi_lsp.context.prompt_state import collapse
from pi_lsp.context.select import Projection
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import usage_of


def estimate_projected(
    path: Sequence[Entry], projection: Projection, counter: TokenCounter = PI_COUNTER, window: int | None = None
) -> ContextEstimate:
    """The tokens of a path's projection: `measure`d, else estimated, with the system prompt once as it is now.

    As in Pi 1.6.0; `window` (tokens) is as in `estimate_context`.
    """
    measured = measure(path, projection, counter, window)
    if measured.last_usage_index is not None:
        return measured
    tokens = sum(map(counter.message, collapse(projection.messages)))
    return ContextEstimate(
        tokens=tokens, usage_tokens=0, trailing_tokens=tokens, last_usage_index=None, doubt=measured.doubt
    )


def measure(
    path: Sequence[Entry], projection: Projection, counter: TokenCounter = PI_COUNTER, window: int | None = None
) -> ContextEstimate:
    """The last usage that a provider reported and the tokens that came since; nothing where there is no such usage.

    A usage from before the latest compaction or edit of the path tells of another context.
    """
    messages = projection.messages
    index, doubt = believed_usage(messages, window, None if window is None else projection.stored_bytes)
    if index is None or not _is_of_this_context(path, _owner(projection, index)):
        return ContextEstimate(tokens=0, usage_tokens=0, trailing_tokens=0, last_usage_index=None, doubt=doubt)
    billed = usage_tokens(usage_of(messages[index]))
    trailing = sum(map(counter.message, messages[index + 1 :]))
    return ContextEstimate(
        tokens=billed + trailing, usage_tokens=billed, trailing_tokens=trailing, last_usage_index=index
    )


def _owner(projection: Projection, index: int) -> Entry:
    """The entry of one of the messages; sought from the end, where it mostly is."""
    place = sum(len(selected.messages) for selected in projection.entries)
    for selected in reversed(projection.entries):
        place -= len(selected.messages)
        if place <= index:
            return selected.entry
    raise IndexError(index)


def _is_of_this_context(path: Sequence[Entry], answer: Entry) -> bool:
    """Whether nothing behind an entry of the path has changed what stands before it."""
    later = takewhile(lambda entry: entry.id != answer.id, reversed(path))
    return all(entry.type not in ("context_edit", "compaction") for entry in later)
