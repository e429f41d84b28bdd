"""The commands of a conversation and how they ended: what fails still, what ran last."""

import re
from collections.abc import Iterator

import msgspec

from pi_lsp.base.json import as_str
from pi_lsp.base.text import slice_tail
from pi_lsp.compaction.local_prose import line_of
from pi_lsp.compaction.local_shell import hides_exit_code, is_check, is_look, must_pass, shown, steps
from pi_lsp.session.messages import Message

PASSED = "passed"
REMARK = "The agent's remark: "

_LAST_FAILURE = "Last command that failed: "
_LATER = ", but passed later"
_CODE = "with exit code"
_HIDDEN = "printed errors (a pipe hides its exit code)"
_LONGEST_LINE = 1000
_MOST_FAILURES = 50
_TAIL_UNITS = 40_000
_DETAIL_UNITS = 240
_MOST_NAMES = 5

_ENDING = re.compile(
    r"\n*(?:Command (exited with code (-?\d{1,10})|aborted|timed out after [\d.]{1,12} seconds))\.?\s*$"
)
_RUN = re.compile(
    r"`(.*)` (passed|failed with exit code -?\d+|failed|was aborted|timed out after [\d.]+ seconds"
    r"|printed errors \(a pipe hides its exit code\))(, but passed later)?(?:: (.*))?"
)
_FAILED_TEST = re.compile(
    r"^\s*(?:FAILED\s+\S|FAIL:?\s+\S|---\s+FAIL:|[✗✕✖×●]\s+\S|not ok\s|\d+\)\s+\S.{0,200}[›>]"
    r"|test .{1,200} \.\.\. FAILED)"
)
_ERROR = re.compile(
    r"(?i)(?:\b(?:error|exception|panic(?:ked)?|fatal|cannot|not found|denied|refused|no such file|undefined|unknown)\b"
    r"|error\b|^E\s{2,})"
)
_WRAPPER = re.compile(
    r"^\s*(?:make(?:\[\d+\])?: \*\*\*|npm (?:error|ERR!)|error: (?:script|Recipe)|husky|\w+ELIFECYCLE)|^$"
)
_COUNTS = re.compile(r"\b\d+ (?:failed|failing|failures?|passed|passing|errors?|tests? |ok\b)")
_HIDDEN_FAILURE = re.compile(
    r"^(?:npm (?:error|ERR!)|make: \*\*\*|FAILED |Traceback |error(?:\[E\d+\])?:)|: error (?:TS|CS|C)\d"
    r"|\b[1-9]\d* failed",
    re.MULTILINE,
)


class Run(msgspec.Struct, kw_only=True):
    """One run of a command. The lines are what a reader needs of its output."""

    command: str
    outcome: str
    steps: tuple[str, ...]
    lines: list[str] = []
    """Of a failure: failed tests, the first error, the counts, the agent's remark. Of a success: the counts."""
    left: set[str] = set()
    """Of a failure: the steps that have not succeeded since."""
    later: bool = False
    """A failure that was followed by a success of the same."""

    @property
    def failed(self) -> bool:
        """Whether it did not pass."""
        return self.outcome != PASSED

    @property
    def checks(self) -> bool:
        """Whether it tests or builds what was changed."""
        return any(map(is_check, self.steps))

    @property
    def key(self) -> tuple[str, ...]:
        """What tells runs of one command from those of another, however their output was filtered."""
        return self.steps or (self.command,)

    @property
    def told(self) -> str:
        """On one line, without the details of a failure."""
        details = f": {self.lines[0]}" if self.lines and not self.failed else ""
        return f"`{self.command}` {self.outcome}{_LATER if self.later else ''}{details}"

    @property
    def told_whole(self) -> str:
        """With the details on lines of their own."""
        return "\n".join([self.told, *(f"- {line}" for line in self.lines)])


class Commands:
    """The commands so far; of each what its last run tells."""

    def __init__(self) -> None:
        self.forgotten = 0
        """Failures that are not remembered, since there were too many."""
        self._failing: dict[tuple[str, ...], Run] = {}  # what must pass and does not, the oldest first
        self._passing: dict[tuple[str, ...], Run] = {}  # checks, the one that ran last at the end
        self._last: list[Run] = []  # the last failure that tells its exit code, and the last if that is a later one

    def recall(self, item: str) -> bool:
        """Take a line of an earlier summary in, if it is one of ours about a command."""
        head, *details = item.split("\n")
        match = _RUN.fullmatch(head.removeprefix(_LAST_FAILURE)) if len(head) < _LONGEST_LINE else None
        if not match:
            return False
        lines = [line.strip().removeprefix("- ") for line in details] + ([match[4]] if match[4] else [])
        run = Run(command=match[1], outcome=match[2], steps=tuple(steps(match[1])), lines=lines, later=bool(match[3]))
        if run.failed:
            self._remember(run)
        if not run.later:
            self._note(run)
        return True

    def ran(self, command: str, output: str, *, failed: bool, exit_code: int | None = None) -> Run:
        """Take a run in.

        Args:
            command: as it was given to the shell.
            output: what came back, with the line that tells how the command ended, if there is one.
            failed: whether it counts as failed.
            exit_code: where it is known apart from the output.
        """
        line = shown(command)
        run = Run(command=line, outcome=PASSED, steps=tuple(steps(line)))
        checks = run.checks
        tail = slice_tail(output, _TAIL_UNITS) if failed or checks else ""
        if failed:
            run.outcome = _ending(tail, exit_code)
        elif checks and hides_exit_code(line) and _HIDDEN_FAILURE.search(tail):
            run.outcome = _HIDDEN
        if run.failed:
            self._remember(run)
        if run.failed and not all(map(is_look, run.key)):
            run.lines = list(_details(_ENDING.sub("", tail), wrapper=len(run.steps) > 1))
        elif checks and (counts := _last_counts(tail)):
            run.lines = [counts]
        self._note(run)
        return run

    @property
    def failing(self) -> list[str]:
        """The failures that stand, with their details: of what must pass, and the last if it is more than a look."""
        return [run.told_whole for run in self._remembered if self._stands(run)]

    @property
    def passing(self) -> list[str]:
        """How the checks that passed ended, the one that ran last at the end."""
        return [run.told for run in self._passing.values()]

    @property
    def last_failures(self) -> list[str]:
        """The last command that failed, unless it is among `failing`; with one before that told its exit code."""
        return [_LAST_FAILURE + run.told for run in self._last if not self._stands(run)]

    @property
    def _remembered(self) -> list[Run]:
        return [*(run for run in self._failing.values() if all(run is not last for last in self._last)), *self._last]

    def _stands(self, run: Run) -> bool:
        return run.key in self._failing or not all(map(is_look, run.left))

    def _remember(self, run: Run) -> None:
        if run.outcome == _HIDDEN:
            return
        before = [] if _CODE in run.outcome else [last for last in self._last if _CODE in last.outcome]
        self._last = [*before, run]

    def _note(self, run: Run) -> None:
        if not run.failed:
            self._passed(run)
            return
        run.left = _left(run)
        self._passing.pop(run.key, None)
        self._failing.pop(run.key, None)
        if any(map(must_pass, run.left)):
            self._failing[run.key] = run
            if len(self._failing) > _MOST_FAILURES:
                del self._failing[next(iter(self._failing))]
                self.forgotten += 1

    def _passed(self, run: Run) -> None:
        if run.checks:
            self._passing.pop(run.key, None)
            self._passing[run.key] = run
        for failure in self._remembered:
            if not failure.left.isdisjoint(run.steps):
                failure.left.difference_update(run.steps)
                if not failure.left:
                    self._failing.pop(failure.key, None)
                    failure.later = True


def exit_failed(message: Message) -> bool:
    """Whether a command of the user's (`bashExecution`) failed or was cancelled."""
    return bool(message.get("cancelled")) or message.get("exitCode") not in (0, None)


def text_with_ending(message: Message) -> str:
    """The output of a user's command, ending as that of a tool does where it was cancelled."""
    return as_str(message.get("output")) + ("\nCommand aborted" if message.get("cancelled") else "")


def _ending(output: str, exit_code: int | None) -> str:
    ending = _ENDING.search(output[-200:])
    if ending and ending[2]:
        return f"failed with exit code {int(ending[2])}"
    if ending:
        return "was aborted" if ending[1] == "aborted" else ending[1]
    return "failed" if exit_code is None else f"failed with exit code {exit_code}"


def _left(run: Run) -> set[str]:
    """The steps that a failure is about: all, unless its output names the target of one.

    None where a search in the output of a command found nothing: that is an answer.
    """
    if _CODE in run.outcome and hides_exit_code(run.command) and not run.lines:
        return set()
    named = [step for step in run.steps if any(_names(line, step) for line in run.lines)]
    return set(named if len(named) == 1 else run.key)


def _names(line: str, step: str) -> bool:
    return bool(_WRAPPER.match(line)) and step.rpartition(" ")[2] in re.split(r"[\s:\]\[]+", line)


def _details(output: str, *, wrapper: bool) -> Iterator[str]:
    """Failed tests, the first error, the counts; with `wrapper` a last line that tells which of many steps failed."""
    lines = [line[:2000] for line in output.split("\n") if line.strip()]
    names = list(dict.fromkeys(line.strip() for line in lines if _FAILED_TEST.match(line)))
    yield from (line_of(name, _DETAIL_UNITS) for name in names[:_MOST_NAMES])
    if len(names) > _MOST_NAMES:
        yield f"{len(names) - _MOST_NAMES} more failed"
    errors = (line for line in lines if _ERROR.search(line) and not _WRAPPER.match(line))
    counts = _last_counts(output)
    error = next((line for line in errors if line.strip() not in names), "")
    if not (error or names or counts):
        error = "".join(lines[-1:])
    yield from (line for line in (line_of(error, _DETAIL_UNITS), counts) if line)
    if wrapper and lines and _WRAPPER.match(lines[-1]) and lines[-1] != error:
        yield line_of(lines[-1], _DETAIL_UNITS)


def _last_counts(output: str) -> str:
    for line in reversed(output[-3000:].split("\n")):
        if _COUNTS.search(line[:500]):
            return line_of(line.strip("= \t"), _DETAIL_UNITS)
    return ""
