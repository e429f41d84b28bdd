from datetime import datetime

from harbour.bookings import Booking, overlaps


def test_a_booking_may_begin_when_another_ends():
    midnight = datetime(2026, 5, 2)
    first = Booking("A1", datetime(2026, 5, 1), midnight)
    second = Booking("A1", midnight, datetime(2026, 5, 3))
    assert not overlaps(first, second)
