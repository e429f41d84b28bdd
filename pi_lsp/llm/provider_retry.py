"""Trying one HTTP request again: which statuses are worth it, and how long the server asks us to wait.

The rules are those of the official SDKs, as Pi 1.6.0 follows them.
"""

import math
import random
import re
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime

_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)", re.ASCII | re.IGNORECASE)
_FIRST_DELAY_MS = 500
_LONGEST_DELAY_MS = 8000
_LONGEST_ASKED_MS = float(2**53 - 1)
"""A server may ask for a pause that is no finite number of ms any more."""
_JITTER = 0.25


class ServerDelayError(Exception):
    """The server asks for a longer pause than the user allows. The text makes the agent's own retry take over."""


def is_retryable_status(status: int | None, headers: Mapping[str, str] | None = None) -> bool:
    """Whether a request that failed with a status (None: no answer came) is worth another; the server may say."""
    match _header(headers, "x-should-retry"):
        case "true":
            return True
        case "false":
            return False
        case _:
            return status is None or status in (408, 409, 429) or status >= 500


def server_delay_ms(
    headers: Mapping[str, str] | None,
    *,
    max_delay_ms: float = 60_000,
    error: str = "",
    now: Callable[[], float] = time.time,
) -> float | None:
    """The pause in ms that the server asks for by `retry-after-ms` or `retry-after` (seconds or a date); None if none.

    Raises:
        ServerDelayError: it is longer than `max_delay_ms` (0 or less: no limit); ends with `error`.
    """
    delay = _asked_for(headers, now)
    if delay is None:
        return None
    if 0 < max_delay_ms < delay:
        asked, limit = math.ceil(delay / 1000), math.ceil(max_delay_ms / 1000)
        raise ServerDelayError(f"Server requested {asked}s retry delay (max: {limit}s). {error}")
    return max(delay, 0)


def backoff_range_ms(retry_index: int) -> tuple[float, float]:
    """The shortest and the longest pause in ms before a retry, counted from 0, that no header sets."""
    longest = min(_FIRST_DELAY_MS * 2 ** min(retry_index, 8), _LONGEST_DELAY_MS)
    return longest * (1 - _JITTER), longest


def delay_ms(
    headers: Mapping[str, str] | None, retry_index: int, *, max_delay_ms: float = 60_000, error: str = ""
) -> float:
    """The pause in ms before a retry: what the server asks for, else a growing one with jitter.

    Raises:
        ServerDelayError: as `server_delay_ms`.
    """
    asked = server_delay_ms(headers, max_delay_ms=max_delay_ms, error=error)
    return random.uniform(*backoff_range_ms(retry_index)) if asked is None else asked


def _asked_for(headers: Mapping[str, str] | None, now: Callable[[], float]) -> float | None:
    exact = _number(_header(headers, "retry-after-ms"))
    if exact is not None:
        return min(exact, _LONGEST_ASKED_MS)
    text = _header(headers, "retry-after")
    seconds = _number(text)
    if seconds is not None:
        return min(seconds * 1000, _LONGEST_ASKED_MS)
    try:
        return (parsedate_to_datetime(text).timestamp() - now()) * 1000
    except (ValueError, TypeError, OverflowError):
        return None


def _number(text: str) -> float | None:
    """The number that a text begins with, as JavaScript's parseFloat; None where there is none or it is no figure."""
    match = _NUMBER.match(text)
    value = float(match[1]) if match else math.nan
    return value if math.isfinite(value) else None


def _header(headers: Mapping[str, str] | None, name: str) -> str:
    return next((value.strip(" \t\r\n") for key, value in (headers or {}).items() if key.lower() == name), "")
