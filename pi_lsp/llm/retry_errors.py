"""What a failed answer means: worth another try, too long for the model, or neither.

Providers name the same trouble in many ways, so it is told by the error's text. The lists are those of Pi 1.6.0;
each line is one way of saying it, `~` stands for one character of any kind or none. None is quadratic: a gateway
may answer with a megabyte of HTML. Compiled at first use.
"""

import re
from functools import cache

from pi_lsp.base.json import as_int, as_str
from pi_lsp.base.text import JS_SPACE
from pi_lsp.session.messages import Message, usage_of

_ANY = r"[^\n\r\u2028\u2029]?"
_LINE_END = re.compile(r"[\n\r\u2028\u2029]")
_COUNT = re.compile("input token count", re.IGNORECASE | re.ASCII)
_ABOVE = re.compile("exceeds the maximum", re.IGNORECASE | re.ASCII)

_QUOTA = r"""
GoUsageLimitError
FreeUsageLimitError
monthly usage limit reached
available balance
insufficient_quota
out of budget
quota exceeded
billing
subscription_sharing_usage_limit_exceeded
subscription_sharing_workplace_individual_usage_limit_exceeded
"code"\s*:\s*"?1308(?!\d)
"""
"""No money, no quota: trying again only costs time."""

_TRANSIENT = r"""
overloaded
server_busy
servers are currently busy
currently experiencing high demand
model is at capacity
rate~limit
too many requests
(?<![a-z0-9])(?:429|500|502|503|504|520|524)(?![a-z0-9])
service~(?:is~)?(?:temporarily~)?unavailable
server~error
internal~error
provider~returned~(?:an~)?error
exceeded request buffer limit while retrying upstream
unable to forward upstream
upstream~request~failed
upstream_stream_read_error
stream was interrupted
http/?2 stream failed
network~error
connection~(?:error|refused|lost|closed)
connection reset by peer
other side closed
fetch failed
request to \S+ failed, reason:
getaddrinfo
ENOTFOUND
EAI_AGAIN
\b(?:ECONNRESET|ECONNABORTED|ECONNREFUSED|ETIMEDOUT|EPIPE)\b
upstream~connect
reset before headers
socket hang up
socket connection was closed
timed? out
timeout
terminated
websocket~(?:closed|error)
websocket~connection~limit~reached
ended without
stream ended before message_stop
stream ended before a terminal response event
http2 request did not get a response
stream disconnected before completion
cut short after the reply had begun
pending stream has been canceled
retry delay
you can retry your request
try your request again
please retry your request
ResourceExhausted
subscription_sharing_usage_unavailable
subscription_sharing_user_unavailable
"""

_BUSY = r"""
rate limit
too many requests
^(?:Throttling error|Service unavailable):
"""
"""Not an overflow, whatever else the text says of tokens."""

_OVERFLOW = r"""
prompt (?:is )?too long
prompt exceeds max length
request_too_large
input is too long for requested model
exceeds the context window
exceeds (?:the )?(?:model'?s )?maximum context length(?: of [\d,]+ tokens?|\s*\([\d,]+\))
context window exceeded
maximum prompt length is \d+
reduce the length of the messages
maximum context length is \d+ tokens
exceeds (?:the )?maximum allowed input length of [\d,]+ tokens?
input \(\d+ tokens\) is longer than the model'?s context length \(\d+ tokens\)
exceeds the limit of \d+
exceeds the available context size
greater than the context length
context window exceeds limit
exceeded model token limit
too large for model with \d+ maximum context length
prompt has [\d,]+ tokens?, but the configured context size is [\d,]+ tokens?
model_context_window_exceeded
range of input length should be
context[_ ]length[_ ]exceeded
too many tokens
token limit exceeded
^413(?:$|\s|:)
^[\w -]+ API error \(413\):
"""

_CEREBRAS_OVERFLOW = r"""
^4(?:00|13)\s*(?:status code)?\s*\(no body\)
"""


def is_retryable(message: Message) -> bool:
    """Whether the same request may well succeed a little later: only for stop reason `error` with a text."""
    text = _error_of(message)
    return bool(text) and not _says(_QUOTA, text) and _says(_TRANSIENT, text)


def is_overflow(message: Message, context_window: int = 0) -> bool:
    """Whether the request was longer than the model takes.

    By the error's text; and, where the window (in tokens) is known, by usage: an answer to more input than the
    window, or a `length` stop without any output when the input fills 99 % of it.
    """
    stop = message.get("stopReason")
    if stop == "error":
        return _says_overflow(_error_of(message), message.get("provider") == "cerebras")
    if context_window <= 0:
        return False
    usage = usage_of(message)
    tokens = as_int(usage.get("input")) + as_int(usage.get("cacheRead"))
    if stop == "length":
        return as_int(usage.get("output")) == 0 and tokens >= context_window * 0.99
    return stop == "stop" and tokens > context_window


def is_recoverable_length(message: Message, max_output: int) -> bool:
    """Whether an answer was cut below the output limit in tokens that was asked for, so that a compaction may help."""
    return message.get("stopReason") == "length" and as_int(usage_of(message).get("output")) < max_output


def mean_the_same(text: str, other: str) -> bool:
    """Whether two texts of an error lead to the same (another try, a compaction, neither), whoever the provider is."""
    lists = (_QUOTA, _TRANSIENT, _BUSY, _OVERFLOW, _CEREBRAS_OVERFLOW)
    same = all(_says(phrases, text) == _says(phrases, other) for phrases in lists)
    return same and _counts_too_many(text) == _counts_too_many(other)


def _error_of(message: Message) -> str:
    """The text of a failure; empty where the model refused, since that text is the model's own and may say anything."""
    failed = message.get("stopReason") == "error" and message.get("rawStopReason") != "refusal"
    return as_str(message.get("errorMessage")) if failed else ""


def _says_overflow(text: str, cerebras: bool) -> bool:
    if not text or _says(_BUSY, text):
        return False
    return _says(_OVERFLOW, text) or _counts_too_many(text) or (cerebras and _says(_CEREBRAS_OVERFLOW, text))


def _counts_too_many(text: str) -> bool:
    """Gemini's way of saying it: two phrases on one line. One pattern would seek the second from every first one."""
    for line in _LINE_END.split(text):
        count = _COUNT.search(line)
        if count and _ABOVE.search(line, count.end()):
            return True
    return False


def _says(phrases: str, text: str) -> bool:
    return _compiled(phrases).search(text) is not None


@cache
def _compiled(phrases: str) -> re.Pattern[str]:
    """ASCII, since JavaScript's `i` folds no other letters into these; but its white space is any."""
    pattern = "|".join(phrases.replace("~", _ANY).split("\n")[1:-1])
    pattern = pattern.replace(r"\S", f"[^{JS_SPACE}]").replace(r"\s", f"[{JS_SPACE}]")
    return re.compile(pattern, re.IGNORECASE | re.ASCII)
