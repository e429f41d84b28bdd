"""Why an answer did not come, as a value: whoever asked decides what to do about it."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

FailureKind: TypeAlias = Literal["key", "status", "network", "stalled", "stream", "refused", "unexpected"]
"""What went wrong.

`key`: there is none, nothing was sent; `status`: the server refused the request; `network`: no connection, or it was
lost; `stalled`: nothing came for too long; `stream`: what came was no whole answer; `refused`: the model will not
answer; `unexpected`: a fault of ours or of a library.
"""


class Failure(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is known of a failure beside its text, which is the answer's `errorMessage`."""

    kind: FailureKind
    status: int | None = None
    """The HTTP status."""
    retry_after_ms: float | None = None
    """The pause that the server asks for."""


class RequestError(Exception):
    """A request that failed: its text is what the answer says, and tells whether to try again."""

    def __init__(self, text: str, failure: Failure, headers: Mapping[str, str] | None = None) -> None:
        """`headers` are those of the response, where there was one."""
        super().__init__(text)
        self.failure = failure
        self.headers = headers or {}
