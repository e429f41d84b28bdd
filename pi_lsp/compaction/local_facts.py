"""What a conversation leaves behind: taken in message by message, on top of what an earlier summary holds."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pi_lsp.base.json import Json, JsonObject, as_int, as_object, as_str, objects
from pi_lsp.compaction.local_changes import Changes
from pi_lsp.compaction.local_commands import REMARK, Commands, Run, exit_failed, text_with_ending
from pi_lsp.compaction.local_outline import SECTIONS, Outline, Section, read
from pi_lsp.compaction.local_previous import recalled
from pi_lsp.compaction.local_prose import line_of, skipped
from pi_lsp.compaction.local_requests import Requests
from pi_lsp.compaction.local_words import EARLIER, OPEN_TURN, Words, remark
from pi_lsp.session.messages import Message, role_of, text_of, texts_of, tool_calls_of

BRANCH = "From another branch of this conversation, which was left:"

_CHANGING = ("edit", "write")
_EXTENSION_UNITS = 300


class _Call(NamedTuple):
    tool: str
    arguments: JsonObject


class Facts:
    """The facts so far. Each kind has one keeper; what is only carried on from earlier summaries lies in `carried`."""

    def __init__(self) -> None:
        self.requests = Requests()
        self.changes = Changes()
        self.commands = Commands()
        self.words = Words()
        self.carried: Outline = {section: [] for section in SECTIONS}
        self.left_out = Counter[str]()
        """How many lines earlier summaries left out, by what they say of them."""
        self.unread = 0
        """Characters in the middle of long messages that were not looked at."""
        self._turn = ""  # told of the turn that is open
        self._speaks = False  # the agent has spoken in it
        self._calls: dict[str, _Call] = {}
        self._puzzling: Run | None = None  # a failure that the agent has not spoken about yet

    def recall(self, summary: str) -> None:
        """Take an earlier summary in."""
        earlier = recalled(read(summary))
        self.left_out.update(earlier.left_out)
        self.unread += earlier.unread
        outline = earlier.outline
        for item in outline["goal"]:
            self.requests.recall_goal(item)
        for item in outline["constraints"]:
            self.requests.recall_constraint(item)
        for item in outline["done"]:
            self.changes.recall_done(item)
        for item in outline["in_progress"]:
            if item.startswith(OPEN_TURN):
                self._turn = item
            elif not self.changes.recall_unchecked(item):
                self.carried["in_progress"].append(item)
        for section in ("blocked", "critical"):
            self.carried[section] += [item for item in outline[section] if not self.commands.recall(item)]
        self.words.decisions.update(dict.fromkeys(outline["decisions"]))
        self.carried["next_steps"] = outline["next_steps"] or self.carried["next_steps"]

    def add(self, message: Message) -> None:
        """Take a message in."""
        match role_of(message):
            case "user":
                self.requests.add(message)
                self.unread += skipped(text_of(message))
                self._turn, self._speaks = OPEN_TURN, False
                self._age_plans()
                self._puzzling = None
            case "assistant":
                self._answered(message)
            case "toolResult":
                self._called(message)
            case "bashExecution":
                # What the user kept from the model (`!!`) must not reach it in a summary.
                if not message.get("excludeFromContext"):
                    self._ran(as_str(message.get("command")), text_with_ending(message), exit_failed(message), message)
            case "branchSummary":
                self._left_branch(read(_without_introduction(as_str(message.get("summary")))))
            case "compactionSummary":
                self.recall(as_str(message.get("summary")))
            case "custom":
                said = line_of(text_of(message), _EXTENSION_UNITS)
                name = line_of(as_str(message.get("customType")), 80)
                self.carried["critical"].append(f'Message of the extension {name}: "{said}"')
            case _:
                pass

    @property
    def open_turn(self) -> list[str]:
        """Tells of the turn that has not ended: one line, or none."""
        told = self.words.open_turn() if self._speaks else self._turn
        return [told] if told else []

    def _age_plans(self) -> None:
        """What an earlier summary planned may be done by now: nobody says so, so the reader is told its age."""
        for section in ("in_progress", "next_steps"):
            items = self.carried[section]
            self.carried[section] = [item if item.startswith(EARLIER) else EARLIER + item for item in items]

    def _answered(self, message: Message) -> None:
        calls = list(tool_calls_of(message))
        closing = not calls and message.get("stopReason") not in ("toolUse", "error", "aborted")
        text = "\n".join(texts_of(message)).strip()
        self.unread += skipped(text)
        if text:
            if self._puzzling and (why := remark(text)):
                self._puzzling.lines.append(f'{REMARK}"{why}"')
            self._puzzling = None
            if report := self.words.say(text, closing=closing):
                self.changes.note(report)
            self._turn, self._speaks = ("", False) if closing else (OPEN_TURN, True)
        for call in calls:
            name = as_str(call.get("name"))
            self._calls[as_str(call.get("id"))] = _Call(name, as_object(call.get("arguments")))

    def _called(self, result: Message) -> None:
        call = self._calls.pop(as_str(result.get("toolCallId")), None)
        if call is None:
            return
        failed = result.get("isError") is True
        command = call.arguments.get("command")
        if isinstance(command, str):
            self._ran(command, text_of(result), failed)
        elif not failed:
            self._changed(call.tool, call.arguments.get("path"))
        for nested in objects(as_object(result.get("nestedCalls")).get("calls")):
            self._changed(as_str(nested.get("name")), as_object(nested.get("arguments")).get("path"))

    def _changed(self, tool: str, path: Json) -> None:
        if tool in _CHANGING and isinstance(path, str) and path:
            self.changes.changed(tool, path)

    def _ran(self, command: str, output: str, failed: bool, user: Message | None = None) -> None:
        code = as_int(user.get("exitCode")) if user else None
        run = self.commands.ran(command, output, failed=failed, exit_code=code)
        if run.failed:
            self._puzzling = run
        else:
            self.changes.ran(command, check=run.checks)

    def _left_branch(self, outline: Outline) -> None:
        """A branch's constraints hold here as well; the rest is told as what was found elsewhere."""
        for item in outline["constraints"]:
            self.requests.recall_constraint(item)
        told = list(_flat(outline))
        if told:
            self.carried["critical"].append("\n".join([BRANCH, *told]))


def _without_introduction(summary: str) -> str:
    """A branch summary from its first heading on, if it has any."""
    _, newline, rest = f"\n{summary}".partition("\n#")
    return f"#{rest}" if newline else summary


def _flat(outline: Outline) -> Iterator[str]:
    for section, name in _LABELS.items():
        for item in outline[section]:
            first, *rest = item.split("\n")
            yield f"- {name}: {first}" if name else f"- {first}"
            yield from (f"  {line}" for line in rest)


_LABELS: Mapping[Section, str] = {
    "goal": "Goal",
    "done": "Done",
    "in_progress": "Begun",
    "blocked": "Blocked",
    "decisions": "Decided",
    "next_steps": "Next",
    "critical": "",
}
