"""Earlier summaries, a model's or our own, are read and carried on by the local summary."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.compaction.local_summaries import (
    MODEL_SUMMARY,
    TALK,
    assert_well_formed,
    called,
    ran,
    said,
    sections,
    summary,
    user,
)


def test_a_failure_in_an_earlier_summary_is_resolved_by_a_later_success() -> None:
    later = summary([*ran("make test", "4 passed in 0.1s"), said("All tests pass now.")], previous=summary(TALK))
    assert sections(later)["### Blocked"] == "(none)"
    assert '"All tests pass now."' in sections(later)["### Done"]
    assert "On the latest request" not in later


def test_files_changed_again_add_up_over_summaries() -> None:
    later = summary(called("edit", {"path": "src/parser.py"}), previous=summary(TALK))
    assert "Changed `src/parser.py` (2 edits)" in later
    assert "Changed `src/guard.py` (1 write)" in later
    assert "src/parser.py" not in summary(called("edit", {"path": "src/parser.py"}, failed=True))


def test_a_models_summary_is_carried_on() -> None:
    found = sections(summary([], previous=MODEL_SUMMARY))
    assert found["## Goal"] == "- Make bookings half-open.\n- Make it so."
    assert found["## Constraints & Preferences"] == "- Never change the JSON.\n- Keep it\n  short."
    assert found["### Done"] == "- [x] Read the code."
    assert found["### In Progress"] == "- [ ] Write the migration"
    assert "No access to the server." in found["### Blocked"]
    assert found["## Next Steps"] == "1. Run the tests.\n2. Ask."
    assert (
        "- **House rules**\n  Names are Portuguese:\n  - berth = cais\n  ## not a heading"
        in found["## Critical Context"]
    )
    assert "a.py" not in "".join(found.values())


def test_what_a_models_summary_left_open_goes_on() -> None:
    messages = [user("Go on."), said("- [x] Write the migration\n- [ ] Deploy"), *ran("make db")]
    found = sections(summary(messages, previous=MODEL_SUMMARY))
    assert "Write the migration" in found["### Done"]
    assert "Write the migration" not in found["### In Progress"]
    assert "make db" not in found["### Blocked"]
    assert found["## Next Steps"] == "1. Deploy"
    unplanned = sections(summary([user("Now look at the web client.")], previous=MODEL_SUMMARY))
    assert "Earlier: Run the tests." in unplanned["## Next Steps"]


_LINES = st.sampled_from(
    [
        *r"""
## Goal
### Done
## Odd
####### x
#
- a
* b
1. c
  - d
- [x] e
- [ ] f
- - - x
-
**b**
```

(none)
---
text
<read-files>
</read-files>
- `make test` failed with exit code 2
- Changed `a` (1 edit)
- (3 older requests left out)
- Latest: "x"
- On the latest request
- Changed since a check last passed: `a`, `b` and 3 more
- Last command that failed: `x` failed""".split("\n"),  # noqa: SIM905  as they stand in a summary
        "\t- tab",
        "## ",
        "\ud800",
    ]
) | st.text(max_size=12)


@given(st.lists(_LINES, max_size=25).map("\n".join))
@settings(max_examples=300)
def test_any_earlier_summary_is_read_and_settles_at_once(previous: str) -> None:
    once = summary([], previous)
    assert_well_formed(once)
    assert summary([], once) == once
    assert_well_formed(summary(TALK, previous))


def test_an_earlier_summary_of_megabytes_takes_no_time() -> None:
    for text in (
        "- `" * 500_000,
        "- x\n" * 100_000,
        "```\n" * 100_000,
        "# x\n" * 100_000,
        "- a\n" + "  b\n" * 100_000,
    ):
        began = time.process_time()
        assert_well_formed(summary([], previous=text))
        assert time.process_time() - began < 6
