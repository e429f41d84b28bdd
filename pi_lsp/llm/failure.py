"""Why an answer did not come, as a value and in words: whoever asked decides what to do about it."""

import re
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

import msgspec

from pi_lsp.base.json import Json, JsonError, as_object, as_str, decode
from pi_lsp.base.text import one_line, slice_head
from pi_lsp.llm.retry_errors import mean_the_same

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


_LONGEST = 4000
"""UTF-16 units of what is kept of a body that holds no message; a gateway may answer with a page of HTML."""
_LONGEST_MESSAGE = 1000
"""UTF-16 units of a server's message."""
_TITLE = re.compile(r"<title>([^<]+)", re.IGNORECASE)


def in_words(body: str, status: int | None = None) -> str:
    """What a server says of a failure, for a person: the HTTP status, the kind of error and the server's message.

    What the text says of trying again and of overflow (`retry_errors`) stays what the whole body says of it: a
    session keeps the text, and Pi 1.6.0 reads it there. A body that would lose that, or holds no message, stays as it
    is, cut.
    """
    code = f"{status} " if status is not None else ""
    whole = code + slice_head(body.strip(), _LONGEST)
    message = _message(body)
    words = message if message.startswith(code) else code + message
    return words if message and mean_the_same(words, whole) else whole


def _message(body: str) -> str:
    """The message in a body, behind the kind of the error; empty where none is found."""
    try:
        value = as_object(decode(body))
    except JsonError:
        page = _TITLE.search(body[:_LONGEST])
        return one_line(page[1]) if page else ""
    error = as_object(value.get("error")) or value
    kind = _first(text for text in (error.get("type"), error.get("code")) if text != "error")
    message = _first((error.get("message"), value.get("error"), value.get("detail")))
    return one_line(": ".join(filter(None, (kind, message))), _LONGEST_MESSAGE)


def _first(values: Iterable[Json]) -> str:
    """The first that is a text and not empty."""
    return next((text for value in values if (text := as_str(value))), "")


_BUSY = (
    r"rate.?limit|too many requests|overloaded|busy|high demand|capacity|exhausted|retry delay|unavailable|429|503|529"
)
_SLOW = r"timed? ?out|ETIMEDOUT"
_UNREACHABLE = (
    r"getaddrinfo|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|connection (?:error|refused)|fetch failed|request to \S+ failed"
)
_LOST = r"connection|socket|network|ECONN|EPIPE|stream|http/?2|cut short|ended without|terminated"
_FAULTY = r"(?:server|internal).?error|api_error|provider.?returned|upstream|5\d\d"
_REASONS = {
    _BUSY: "the provider is busy",
    _SLOW: "the provider did not answer in time",
    _UNREACHABLE: "the provider cannot be reached",
    _LOST: "the connection was lost",
    _FAULTY: "the provider has a fault of its own",
}
"""What the text of a failure that will pass says, and what that means to a person; the first one counts."""


def in_short(text: str) -> str:
    """Why there is no answer yet, as a clause for a person who can only wait; the text itself where nobody knows."""
    return next(
        (clause for says, clause in _REASONS.items() if re.search(rf"(?<![a-z\d])(?:{says})", text, re.IGNORECASE)),
        text,
    )
