"""Times as JavaScript's `new Date` reads them; the expected values are Node's."""

import math

import pytest

from pi_lsp.base.json import Json
from pi_lsp.session.times import from_milliseconds, to_milliseconds

NEW_YEAR = 1_735_689_600_000


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("2025-01-01T00:00:00.000Z", NEW_YEAR),
        ("2025-01-01T00:00:00.1239Z", NEW_YEAR + 123),
        ("2025-01-01t02:00:00.5+02:00", NEW_YEAR + 500),
        ("2024-12-31 16:30:00-0730", NEW_YEAR),
        ("2025-01-01T00:00", NEW_YEAR),
        ("2025-01-01", NEW_YEAR),
        ("2025-01", NEW_YEAR),
        ("2025", NEW_YEAR),
        ("2024-12-31T24:00:00Z", NEW_YEAR),
        ("2025-02-30T00:00:00.000Z", 1_740_873_600_000),
        ("1969-12-31T23:59:59.999Z", -1),
        ("+010000-01-01T00:00:00.000Z", 253_402_300_800_000),
        ("-000001-01-01T00:00:00Z", -62_198_755_200_000),
        ("+275760-09-13T00:00:00.000Z", 8_640_000_000_000_000),
        ("-271821-04-20T00:00:00.000Z", -8_640_000_000_000_000),
    ],
)
def test_iso_forms(text: str, milliseconds: int) -> None:
    assert to_milliseconds(text) == milliseconds


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "nope",
            "20250101",
            "2025-W01-1",
            "2025-13-01",
            "2025-00-10",
            "2025-01-32",
            "2025-01-01T",
            "2025-01-01T00Z",
        ),
        *("2025-01-01T24:00:01Z", "2025-01-01T12:60:00Z", "2025-01-01T12:00:60Z", "2025-01-01T00:00:00,5Z"),
        *("2025-01-01T00:00:00+25:00", "2025-01-01T00:00:00+01:60", " 2025-01-01T00:00:00.000Z", "2025-01-01\n"),
        *("-000000-01-01T00:00:00Z", "+275760-09-13T00:00:00.001Z", "\uff12\uff10\uff12\uff15-01-01"),
    ],
)
def test_texts_that_are_no_time(text: str) -> None:
    assert to_milliseconds(text) is None


@pytest.mark.parametrize(
    ("value", "milliseconds"),
    [(5, 5), (-1.9, -1), (None, 0), (math.nan, None), (math.inf, None), (9e15, None), ([], None), ({}, None)],
)
def test_times_that_are_no_text(value: Json, milliseconds: int | None) -> None:
    assert to_milliseconds(value) == milliseconds


@pytest.mark.parametrize("milliseconds", [0, -1, NEW_YEAR, 951_782_400_001, -11_644_473_600_000, 253_402_300_799_999])
def test_there_and_back(milliseconds: int) -> None:
    text = from_milliseconds(milliseconds)
    assert to_milliseconds(text or "") == milliseconds
