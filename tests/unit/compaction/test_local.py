"""The local summary: what it keeps of a conversation, and in which section."""

from pi_lsp.compaction.branch import NOTHING_TO_SUMMARIZE
from pi_lsp.compaction.local import summarize_branch_locally, summarize_locally
from tests.unit.compaction import sessions
from tests.unit.compaction.local_summaries import (
    MODEL_SUMMARY,
    TALK,
    again,
    assert_well_formed,
    called,
    preparation,
    ran,
    said,
    sections,
    summary,
    user,
)


def test_it_has_all_sections_and_says_that_it_is_local() -> None:
    assert_well_formed(summary([]))
    assert_well_formed(summary(TALK))
    assert summarize_locally(preparation(TALK)).summarizer == "local"


def test_what_a_reader_needs_is_in_its_section() -> None:
    found = sections(summary(TALK))
    assert found["## Goal"] == '- Latest: "Fix the parser. Never touch the lexer, please! You must keep Python 3.11."'
    assert found["## Constraints & Preferences"] == (
        '- "Never touch the lexer, please!"\n- "You must keep Python 3.11."'
    )
    assert "Changed `src/parser.py` (1 edit)" in found["### Done"]
    assert "Changed `src/guard.py` (1 write)" in found["### Done"]
    assert found["### Blocked"] == (
        "- `make test` failed with exit code 2\n"
        "  - FAILED tests/test_parser.py::test_empty\n"
        "  - AssertionError: 1 != 2\n"
        "  - 1 failed, 3 passed in 0.1s\n"
        '  - The agent\'s remark: "The empty input is not handled."'
    )
    assert "because it is one line" in found["## Key Decisions"]
    assert found["### In Progress"] == (
        '- [ ] On the latest request, where the agent last said: "The empty input is not handled. '
        'A guard is better than a subclass because it is one line."'
    )


def test_a_request_that_nobody_has_spoken_to_yet_is_open_and_one_that_was_answered_is_not() -> None:
    asked = [user("Fix the parser."), *called("read", {"path": "a.py"})]
    assert sections(summary(asked))["### In Progress"] == "- [ ] On the latest request"
    assert sections(summary([*asked, said("I fixed the parser.")]))["### In Progress"] == "(none)"


def test_a_failure_that_was_fixed_is_no_longer_blocked() -> None:
    found = sections(summary([*TALK, *ran("make test", "4 passed in 0.1s")]))
    assert found["### Blocked"] == "(none)"
    assert (
        "Last command that failed: `make test` failed with exit code 2, but passed later"
        in found["## Critical Context"]
    )
    assert "`make test` passed: 4 passed in 0.1s" in found["## Critical Context"]


def test_a_step_of_a_chain_that_failed_is_resolved_alone() -> None:
    chain = ran("make db && make test-web", "Tests 1 failed\nmake: *** [Makefile:5: test-web] Error 1", 2)
    assert "make test-web" in sections(summary(chain))["### Blocked"]
    assert sections(summary([*chain, *ran("make test-web")]))["### Blocked"] == "(none)"
    assert sections(summary([*chain, *ran("make db")]))["### Blocked"] != "(none)"
    assert sections(summary(ran("make test-web"), previous=summary(chain)))["### Blocked"] == "(none)"


def test_files_changed_since_the_last_check() -> None:
    messages = [*ran("make test"), *called("edit", {"path": "a.py"})]
    assert "Changed since a check last passed: `a.py`" in sections(summary(messages))["### In Progress"]
    assert "since a check" not in summary([*messages, *ran("make test")])
    assert "since a check" not in summary(ran("make test"), previous=summary(messages))
    both = summary(called("edit", {"path": "b.py"}), previous=summary(messages))
    assert "Changed since a check last passed: `a.py`, `b.py`" in both


def test_a_command_kept_from_the_model_stays_out() -> None:
    secret = {
        "role": "bashExecution",
        "command": "make secret",
        "output": "key",
        "exitCode": 1,
        "excludeFromContext": True,
    }
    assert "secret" not in summary([secret])
    told = summary([{**secret, "excludeFromContext": False}])
    assert "`make secret` failed with exit code 1" in sections(told)["### Blocked"]


def test_a_left_branch_is_told_apart() -> None:
    text = f"What happened there:\n\n{MODEL_SUMMARY}"
    found = sections(summary([{"role": "branchSummary", "summary": text}]))
    assert "- Never change the JSON." in found["## Constraints & Preferences"]
    assert found["### Done"] == "(none)"
    assert found["### Blocked"] == "(none)"
    assert "From another branch of this conversation, which was left:" in found["## Critical Context"]
    assert "  - Decided: **Half-open**: simplest." in found["## Critical Context"]
    assert "What happened there" not in found["## Critical Context"]


def test_a_branch_is_summarised_with_what_failed_there() -> None:
    done = summarize_branch_locally(sessions.chain(*map(sessions.said, TALK)))
    assert done.summarizer == "local"
    assert "`make test` failed with exit code 2" in done.summary
    assert done.summary.endswith("<modified-files>\nsrc/guard.py\nsrc/parser.py\n</modified-files>")
    assert summarize_branch_locally([]).summary == NOTHING_TO_SUMMARIZE


def test_files_that_nothing_has_checked_since_are_counted_where_they_are_too_many() -> None:
    paths = [f"src/{'deep/' * 8}file{n}.py" for n in range(90)]
    talk = [
        user("Change them all."),
        *ran("make test", "1 passed"),
        *[m for p in paths for m in called("edit", {"path": p})],
    ]
    once = summary(talk)
    told = sections(once)["### In Progress"]
    shown = told.split("\n")[0].count("`") // 2
    assert 0 < shown < 90
    assert f"`{paths[-1]}` and {90 - shown} more\n" in told
    assert again(talk, once) == once
    later = summary([*called("edit", {"path": "one_more.py"})], once)
    assert "`one_more.py` and " in sections(later)["### In Progress"]
    checked = sections(summary(ran("make test", "1 passed"), once))["### In Progress"]
    assert "Changed since" not in checked


def test_the_first_request_stays_when_there_are_many_and_so_do_the_first_steps() -> None:
    steps = "\n".join(f"{n}. Do the thing number {n} in detail" for n in range(1, 13))
    talk = [message for n in range(60) for message in (user(f"Request number {n}."), said("Done as you asked for."))]
    found = sections(summary([*talk, user("Plan it."), said(f"The plan:\n{steps}")], max_tokens=600))
    assert '"Request number 0."' in found["## Goal"]
    assert '"Request number 1."' not in found["## Goal"]
    assert '"Request number 59."' in found["## Goal"]
    first, *_, note = found["## Next Steps"].split("\n")
    assert first == "1. Do the thing number 1 in detail"
    assert note.endswith("further steps left out)")


def test_an_item_that_is_nothing_but_bullets_is_read_as_what_stands_below_it() -> None:
    assert sections(summary([], "## Next Steps\n- \n  - \n  - go on"))["## Next Steps"] == "1. go on"
