"""The tokens of a projection: the usage that a provider reported, where it still holds."""

from collections.abc import Sequence
from itertools import takewhile

from pi_lsp.context.estimate import PI_COUNTER, ContextEstimate, TokenCounter, estimate_context
from pi_lsp.context.prompt_state import collapse
from pi_lsp.context.select import Projection
from pi_lsp.session.entries import Entry


def estimate_projected(
    path: Sequence[Entry], projection: Projection, counter: TokenCounter = PI_COUNTER, window: int | None = None
) -> ContextEstimate:
    """The tokens of a path's projection.

    A usage from before the latest compaction or edit of the path tells of another context: then everything is
    estimated, the system prompt once as it is now. As in Pi 1.6.0; `window` (tokens) is as in `estimate_context`.
    """
    messages = projection.messages
    estimate = estimate_context(messages, counter, window)
    if estimate.last_usage_index is not None:
        since_change = takewhile(lambda entry: entry.type not in ("context_edit", "compaction"), reversed(path))
        if projection.message_entries[estimate.last_usage_index] in {entry.id for entry in since_change}:
            return estimate
    tokens = sum(map(counter.message, collapse(messages)))
    return ContextEstimate(
        tokens=tokens, usage_tokens=0, trailing_tokens=tokens, last_usage_index=None, doubt=estimate.doubt
    )
