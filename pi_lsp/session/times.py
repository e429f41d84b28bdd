"""Times of a session file: ISO 8601 with milliseconds and Z, as JavaScript's `toISOString` prints them."""

import math
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def now() -> str:
    """The current time."""
    return iso(datetime.now(UTC))


def iso(time: datetime) -> str:
    """An aware time as text, in UTC."""
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_milliseconds(milliseconds: float) -> str | None:
    """The text of milliseconds since 1970; None where they are no time."""
    try:
        return iso(_EPOCH + timedelta(milliseconds=milliseconds)) if math.isfinite(milliseconds) else None
    except OverflowError:
        return None


def to_milliseconds(timestamp: str) -> int | None:
    """Milliseconds since 1970; None where the text is no ISO 8601 time. Without a zone it is read as UTC."""
    try:
        time = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    return ((time if time.tzinfo else time.replace(tzinfo=UTC)) - _EPOCH) // _MILLISECOND
