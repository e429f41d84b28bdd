"""The facts as the groups of lines that a summary is made of."""

from collections.abc import Sequence

import msgspec

from pi_lsp.compaction.local_budget import Group
from pi_lsp.compaction.local_facts import Facts
from pi_lsp.compaction.local_outline import Outline
from pi_lsp.compaction.local_previous import (
    BEGUN,
    CHECKS,
    CONSTRAINTS,
    CONTEXT,
    DECISIONS,
    FAILURES,
    FILES,
    LOCAL_NOTE,
    REQUESTS,
    STEPS,
    UNREAD,
    WORK,
)
from pi_lsp.compaction.local_words import EARLIER


class Groups(msgspec.Struct, frozen=True, kw_only=True):
    """All groups; their order here is the order in which they get what others leave of the budget."""

    failures: Group
    constraints: Group
    requests: Group
    steps: Group
    begun: Group
    work: Group
    context: Group
    checks: Group
    files: Group
    decisions: Group
    latest: Sequence[str]
    """The latest request; never left out."""
    fixed: Sequence[str]
    """Lines of Critical Context that are never left out."""

    @property
    def all(self) -> Sequence[Group]:
        """The groups by priority."""
        return (
            self.failures,
            self.constraints,
            self.requests,
            self.steps,
            self.begun,
            self.work,
            self.context,
            self.checks,
            self.files,
            self.decisions,
        )

    @property
    def frame(self) -> Outline:
        """What stands in any case."""
        return {"goal": [*self.latest], "critical": [*self.fixed]}

    @property
    def outline(self) -> Outline:
        """The sections, each group behind the note on what it misses."""
        return {
            "goal": [*_shown(self.requests), *self.latest],
            "constraints": _shown(self.constraints),
            "done": _shown(self.work) + _shown(self.files),
            "in_progress": _shown(self.begun),
            "blocked": _shown(self.failures),
            "decisions": _shown(self.decisions),
            "next_steps": _shown(self.steps),
            "critical": [*self.fixed, *_shown(self.checks), *_shown(self.context)],
        }


def groups_of(facts: Facts, modified_files: int, latest_units: int) -> Groups:
    """Everything that the facts have to say.

    Args:
        facts: of the whole conversation.
        modified_files: how many the list at the end of the summary has.
        latest_units: the most that is shown of the latest request, in UTF-16 units.
    """

    def group(what: str, share: int, items: list[str], most: int | None = None) -> Group:
        return Group(what=what, items=items, share=share, left_out=facts.left_out[what], most=most)

    begun, ticked = _parted(facts, facts.carried["in_progress"])
    steps, ticked_steps = _parted(facts, facts.words.plan() or facts.carried["next_steps"])
    requests = group(REQUESTS, 18, facts.requests.others, most=30)
    requests.pinned = (0,) if requests.items else ()  # what it all began with
    plan = group(STEPS, 6, steps)
    plan.newest_first = False
    failures = group(FAILURES, 10, facts.carried["blocked"] + facts.commands.failing, most=8)
    failures.left_out += facts.commands.forgotten
    files = group(FILES, 8, facts.changes.files)
    files.left_out = max(0, modified_files - len(files.items))
    unread = [f"{facts.unread}{UNREAD}"] if facts.unread else []
    return Groups(
        constraints=group(CONSTRAINTS, 30, list(facts.requests.constraints)),
        requests=requests,
        failures=failures,
        steps=plan,
        begun=group(BEGUN, 5, begun + facts.changes.unchecked + facts.open_turn),
        work=group(WORK, 9, facts.changes.notes + ticked + ticked_steps),
        context=group(CONTEXT, 8, facts.carried["critical"]),
        checks=group(CHECKS, 3, facts.commands.passing, most=8),
        files=files,
        decisions=group(DECISIONS, 3, list(facts.words.decisions), most=10),
        latest=facts.requests.latest_within(latest_units),
        fixed=(LOCAL_NOTE, *unread, *facts.commands.last_failures),
    )


def _parted(facts: Facts, items: list[str]) -> tuple[list[str], list[str]]:
    """The items that are still to do, and those that were ticked off since."""
    ticked = [item.removeprefix(EARLIER) for item in items if facts.words.is_ticked(item)]
    return [item for item in items if not facts.words.is_ticked(item)], ticked


def _shown(group: Group) -> list[str]:
    note = [group.note] if group.note else []
    return note + group.items if group.newest_first else group.items + note
