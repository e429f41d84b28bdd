"""Every pitfall that was reported of such tools, and that is ours to avoid, has a test named by its letter."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
NUMBERS = {
    "S": range(1, 17),
    "C": range(1, 13),
    "R": (*range(1, 8), 9, 10, 12, 13),
    "L": range(1, 8),
    "E": (4, 7, 8),
}
"""By kind: sessions, compaction, rules and skills, the model's language, the editor."""

_TEST = re.compile(r"^ *(?:async )?def test((?:_(?:and_)?[SCRLE]\d+)+)_", re.MULTILINE)


def test_every_pitfall_has_a_test() -> None:
    named = {
        letter
        for path in TESTS.rglob("test_*.py")
        for found in _TEST.findall(path.read_text())
        for letter in re.findall(r"[SCRLE]\d+", found)
    }
    wanted = [f"{kind}{number}" for kind, numbers in NUMBERS.items() for number in numbers]
    assert [letter for letter in wanted if letter not in named] == []
