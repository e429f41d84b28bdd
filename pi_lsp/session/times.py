"""Times of a session file: ISO 8601 with milliseconds and Z, as JavaScript's `toISOString` prints them."""

import math
import re
from datetime import UTC, datetime, timedelta

from pi_lsp.base.json import Json

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_DAY_MS = 86_400_000
_DAYS_OF_400_YEARS = 146_097
_LAST_MS = 100_000_000 * _DAY_MS
"""JavaScript knows no time further from 1970."""

_ISO = re.compile(
    r"([+-]\d{6}|\d{4})(?:-(\d\d)(?:-(\d\d))?)?"
    r"(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d):?(\d\d))?)?",
    re.ASCII | re.IGNORECASE,
)


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


def to_milliseconds(timestamp: Json) -> int | None:
    """Milliseconds since 1970 for what a file says as a time, as JavaScript's `new Date` reads it; None if it is none.

    Text in any of JavaScript's ISO 8601 forms (a day may be past the end of its month), a number of milliseconds, or
    null for 1970. Without a zone it is UTC.
    """
    match timestamp:
        case str():
            milliseconds = _of_text(timestamp)
        case None:
            milliseconds = 0
        case int() | float() if math.isfinite(timestamp):
            milliseconds = int(timestamp)
        case _:
            milliseconds = None
    return milliseconds if milliseconds is not None and abs(milliseconds) <= _LAST_MS else None


def _of_text(text: str) -> int | None:
    if len(text) == 24 and text[4] == text[7] == "-" and text[10] == "T" and text[19] == "." and text[23] == "Z":
        try:  # our own form, which nearly all are in, by the way that is many times quicker
            return (datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND
        except ValueError:
            pass
    match = _ISO.fullmatch(text)
    return _of_parts(match) if match else None


def _of_parts(match: re.Match[str]) -> int | None:
    year, month, day, *clock, fraction, sign, zone_hour, zone_minute = match.groups(default="")
    months, days = int(month or 1), int(day or 1)
    hours, minutes, seconds, zone_hours, zone_minutes = (int(part or 0) for part in (*clock, zone_hour, zone_minute))
    in_day = ((hours * 60 + minutes) * 60 + seconds) * 1000 + int(f"{fraction}000"[:3])
    if year == "-000000" or not (1 <= months <= 12 and 1 <= days <= 31):
        return None
    if max(minutes, seconds, zone_minutes) > 59 or in_day > _DAY_MS or zone_hours > 23:
        return None
    zone = (zone_hours * 60 + zone_minutes) * (-60_000 if sign == "-" else 60_000)
    # Python knows the years 1 to 9999 only, but any 400 years have as many days: look at the same year 2000 to 2399.
    ages, year_of_age = divmod(int(year) - 2000, 400)
    month_begins = datetime(2000 + year_of_age, months, 1, tzinfo=UTC) - _EPOCH
    return month_begins // _MILLISECOND + (ages * _DAYS_OF_400_YEARS + days - 1) * _DAY_MS + in_day - zone
