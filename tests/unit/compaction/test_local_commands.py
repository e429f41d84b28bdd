"""Commands: what a line runs, which runs resolve which failures."""

import pytest

from pi_lsp.compaction.local_commands import Commands
from pi_lsp.compaction.local_shell import commit_subject, hides_exit_code, is_check, is_look, must_pass, shown, steps


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("make test", ["make test"]),
        ("cd /w/api && npm run check 2>&1 | tail -20", ["/w/api: npm run check"]),
        ("CI=1 FOO=bar pytest -x > out.txt; ls", ["pytest -x", "ls"]),
        ("git commit -m 'a && b; c' && make", ["git commit -m 'a && b; c'", "make"]),
        ('echo "never closed && make', ['echo "never closed', "make"]),
        ("# only a remark", []),
        ("", []),
    ],
)
def test_steps(command: str, expected: list[str]) -> None:
    assert steps(command) == expected


def test_shown_on_one_line() -> None:
    assert shown("cd x\n\n  make") == "cd x; make"
    assert shown("cat > a << 'EOF'\nmake test\nEOF") == "cat > a << 'EOF'"


@pytest.mark.parametrize(
    "step", ["make test", "npm run check", "/w: cargo build", "npx tsc --noEmit", "python -m pytest", "go vet ./..."]
)
def test_checks(step: str) -> None:
    assert is_check(step)
    assert must_pass(step)
    assert not is_look(step)


@pytest.mark.parametrize(
    "step", ["cat tests/test.py", "grep -rn test src", "git add tests", "ls", "/usr/bin/find . -name check"]
)
def test_looks(step: str) -> None:
    assert is_look(step)
    assert not must_pass(step)


def test_an_installation_must_pass_and_is_no_check() -> None:
    assert must_pass("npm install left-pad")
    assert not is_check("npm install left-pad")


def test_pipes_hide_exit_codes() -> None:
    assert hides_exit_code("make | tail")
    assert not hides_exit_code("make || true")
    assert not hides_exit_code("set -o pipefail; make | tail")


@pytest.mark.parametrize(
    ("command", "subject"),
    [
        ('git add -A && git commit -m "Fix it\n\nBecause."', "Fix it"),
        ("git commit -am 'Fix it'", "Fix it"),
        ("git commit -m \"$(cat <<'EOF'\nFix it\nEOF\n)\"", "Fix it"),
        ("git log", ""),
    ],
)
def test_commit_subjects(command: str, subject: str) -> None:
    assert commit_subject(command) == subject


def test_a_pipe_that_swallows_the_failure() -> None:
    commands = Commands()
    commands.ran("make test 2>&1 | tail -5", "1 failed, 3 passed\nmake: *** [test] Error 1", failed=False)
    assert commands.failing == [
        "`make test 2>&1 | tail -5` printed errors (a pipe hides its exit code)\n- 1 failed, 3 passed"
    ]
    assert commands.last_failures == []
    commands.ran("make test", "4 passed", failed=False)
    assert commands.failing == []
    assert commands.passing == ["`make test` passed: 4 passed"]


def test_a_search_that_found_nothing_stands_in_nobodys_way() -> None:
    commands = Commands()
    commands.ran("npm run check | grep error", "\n\nCommand exited with code 1", failed=True)
    commands.ran("grep -rn TODO src", "\n\nCommand exited with code 1", failed=True)
    assert commands.failing == []
    assert commands.last_failures == ["Last command that failed: `grep -rn TODO src` failed with exit code 1"]


def test_endings() -> None:
    commands = Commands()
    assert (
        commands.ran("make a", "x\n\nCommand timed out after 30 seconds", failed=True).outcome
        == "timed out after 30 seconds"
    )
    assert commands.ran("make b", "x\n\nCommand aborted", failed=True).outcome == "was aborted"
    assert commands.ran("make c", "x", failed=True).outcome == "failed"
    assert commands.ran("make d", "x", failed=True, exit_code=3).outcome == "failed with exit code 3"
    assert len(commands.failing) == 4


def test_the_last_failure_with_an_exit_code_is_kept_beside_one_without() -> None:
    commands = Commands()
    commands.ran("ls a", "\n\nCommand exited with code 2", failed=True)
    commands.ran("sleep 9", "\n\nCommand aborted", failed=True)
    assert [line.removeprefix("Last command that failed: ") for line in commands.last_failures] == [
        "`ls a` failed with exit code 2",
        "`sleep 9` was aborted",
    ]


def test_thousands_of_failures_stay_linear_and_are_counted() -> None:
    commands = Commands()
    for number in range(3000):
        commands.ran(f"make t{number}", "\n\nCommand exited with code 2", failed=True)
        commands.ran("make fine", "", failed=False)
    assert len(commands.failing) + commands.forgotten == 3000
    assert "`make t2999`" in commands.failing[-1]
