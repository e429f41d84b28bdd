"""What the rest of the program asks of a model, whoever provides it."""

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias
from uuid import uuid4

import msgspec

from pi_lsp.session.messages import Message


def _new_id() -> str:
    return str(uuid4())


class CompletionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request that stands for itself: no tools, no conversation to go on with, nothing worth caching."""

    system: str
    prompt: str
    """The text of the one user message."""
    reasoning: str | None = None
    """The thinking level; None is off."""
    cache_retention: Literal["none"] = "none"
    session_id: str = msgspec.field(default_factory=_new_id)
    """For a provider that routes requests by session: one of its own."""


Complete: TypeAlias = Callable[[CompletionRequest], Awaitable[Message]]
"""Ask a model, with whatever retries the caller's policy wants.

The answer is an assistant message also where the model failed: `stopReason` is then `error` (with `errorMessage`),
`aborted` or `length`. Nothing is raised but cancellation.
"""
