import pytest

from tests.bench.rows import above, below, missing, times


@pytest.mark.parametrize(
    ("row", "state"),
    [
        (times("x", "ms", 50, 100, "Pi", 1 / 2), "ok"),
        (times("x", "ms", 51, 100, "Pi", 1 / 2), "over"),
        (times("x", "ms", 500, 100, "Pi"), "reported"),
        (above("x", "ms", 2.5, 0.5, "bare", 2), "ok"),
        (above("x", "ms", 2.6, 0.5, "bare", 2), "over"),
        (below("x", "MB", 60, 60), "ok"),
        (below("x", "MB", 60.1, 60), "over"),
        (missing("x", "no npm"), "missing"),
    ],
)
def test_a_promise_is_kept_or_not(row, state):
    assert row.state == state


def test_the_ratio_needs_a_baseline():
    assert times("x", "ms", 50, 200, "Pi").ratio == 0.25
    assert below("x", "MB", 60, 60).ratio is None
    assert missing("x", "no npm").ratio is None
