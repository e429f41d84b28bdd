"""Bookings of berths."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Booking:
    berth: str
    arrival: datetime
    departure: datetime


def overlaps(a: Booking, b: Booking) -> bool:
    """Whether two bookings of one berth are at odds; intervals are half-open."""
    return a.berth == b.berth and a.arrival < b.departure and b.arrival < a.departure
