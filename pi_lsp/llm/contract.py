"""What the rest of the program asks of a model, whoever provides it."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Protocol, Self, TypeAlias
from uuid import uuid4

import msgspec

from pi_lsp.context.model import Model
from pi_lsp.llm.answer import Answer, Delta
from pi_lsp.llm.failure import Failure
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
    session_id: str = msgspec.field(default_factory=_new_id)
    """For a provider that routes requests by session: one of its own."""


Complete: TypeAlias = Callable[[CompletionRequest], Awaitable[Message]]
"""Ask a model, with whatever retries the caller's policy wants.

The answer is an assistant message also where the model failed: `stopReason` is then `error` (with `errorMessage`),
`aborted` or `length`. Nothing is raised but cancellation.
"""


class ChatRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The next answer of a conversation."""

    messages: Sequence[Message]
    """As `finish` gives them: valid, a system message leading. They hold the tools, too."""
    model: Model
    level: str = "off"
    """The thinking level."""
    max_tokens: int | None = None
    """The most that may be answered, in tokens; None is all that the model can and that fits its window."""
    cache: bool = True
    """Let the provider keep the request for the next one to repeat."""
    session_id: str = msgspec.field(default_factory=_new_id)
    """For a provider that routes requests by session."""


class Stream:
    """One answer as it arrives: iterate over it for the deltas, once. Nothing is sent before the first is awaited.

    Failures are values (`failure`, and the message's `errorMessage`); nothing is raised but cancellation. Whoever
    does not read it to the end closes it, which also closes the connection; `async with` does so.
    """

    def __init__(self, answer: Answer, deltas: AsyncGenerator[Delta, None]) -> None:
        """`deltas` writes to the answer as it goes."""
        self._answer = answer
        self._deltas = deltas

    def __aiter__(self) -> AsyncGenerator[Delta, None]:
        return self._deltas

    def message(self) -> Message:
        """The assistant message so far, final once the iteration has ended. Cut off, it is `aborted`."""
        return self._answer.message()

    @property
    def failure(self) -> Failure | None:
        """Why there is no whole answer; None also for one that was aborted."""
        return self._answer.failure

    @property
    def notes(self) -> Sequence[str]:
        """What the provider did beside asking, for a person: thinking left out, requests made again."""
        return self._answer.notes

    async def read(self) -> Message:
        """The whole answer, for who has no use for deltas."""
        async with self:
            async for _ in self:
                pass
        return self.message()

    async def aclose(self) -> None:
        """Stop here; harmless after the end."""
        await self._deltas.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class Provider(Protocol):
    """Reaches models."""

    def open(self, request: ChatRequest) -> Stream:
        """Ask for an answer."""
        ...

    async def aclose(self) -> None:
        """Close all connections; streams are closed before."""
        ...
