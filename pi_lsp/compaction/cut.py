"""Where a conversation is cut when its older part is replaced by a summary (the rules are Pi 1.6.0's).

Walking back from the newest entry, the last `keep_recent_tokens` tokens stay. The cut falls on an entry that may open
a context: a user's or an assistant's message, never a tool result, which must follow its call. Where it falls inside
a turn, the turn is split and its first part gets a summary of its own.

The walk looks at as many entries as it keeps, plus those back to the start of the turn, and at no other.
"""

from collections.abc import Sequence

import msgspec

from pi_lsp.context.estimate import PI_COUNTER, TokenCounter
from pi_lsp.context.select import Selected, entry_messages
from pi_lsp.resources.settings import CompactionSettings
from pi_lsp.session.messages import role_of

_TURN_STARTS = frozenset({"user", "bashExecution", "custom", "branchSummary", "compactionSummary"})
_CANDIDATES = _TURN_STARTS | {"assistant"}


class CutPoint(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A cut between two entries, as indices into the entries it was sought in."""

    first_kept_entry_index: int
    turn_start_index: int = -1
    """Where the turn began that the cut splits; -1 where it splits none."""

    @property
    def is_split_turn(self) -> bool:
        """Whether the cut falls inside a turn."""
        return self.turn_start_index >= 0


def should_compact(context_tokens: int, context_window: int, settings: CompactionSettings) -> bool:
    """Whether a context of so many tokens leaves less than the reserve free."""
    return settings.enabled and context_tokens > context_window - settings.reserve_tokens


def history_start(entries: Sequence[Selected]) -> int:
    """Where the conversation begins in a projection: behind the compaction at its head, if that has a summary."""
    return 1 if len(entries) and _is_compaction(entries[0]) and entries[0].messages else 0


def find_cut(
    entries: Sequence[Selected],
    keep_recent_tokens: float,
    start: int = 0,
    end: int | None = None,
    counter: TokenCounter = PI_COUNTER,
) -> CutPoint:
    """The cut among entries[start:end] that keeps about so many tokens; at `start` where nothing may be cut."""
    end = len(entries) if end is None else end
    cut, reached = _walk_back(entries, keep_recent_tokens, start, end, counter)
    if cut is None:
        return CutPoint(first_kept_entry_index=start)
    if reached and _only_a_failed_attempt_follows(entries, cut, end):
        cut += 1
    # Entries without messages (a model change, an edit) go with what follows them.
    while cut > start and not (_is_compaction(previous := entries[cut - 1]) or previous.messages):
        cut -= 1
    begin = turn_start(entries, cut, start)
    return CutPoint(first_kept_entry_index=cut, turn_start_index=-1 if begin == cut else begin)


def turn_start(entries: Sequence[Selected], index: int, start: int = 0) -> int:
    """The entry at or before `index` that begins its turn, not before `start`; -1 where there is none."""
    return next((i for i in range(index, start - 1, -1) if _has_role(entries[i], _TURN_STARTS)), -1)


def valid_cut_points(entries: Sequence[Selected], start: int = 0, end: int | None = None) -> list[int]:
    """The entries that may come first in what is kept."""
    return [i for i in range(start, len(entries) if end is None else end) if _has_role(entries[i], _CANDIDATES)]


def _walk_back(
    entries: Sequence[Selected], keep_recent_tokens: float, start: int, end: int, counter: TokenCounter
) -> tuple[int | None, bool]:
    """The entry to cut at, if there is any, and whether so many tokens were there at all.

    It is the candidate nearest after the entry that fills the budget, else the nearest before it (a call whose
    results alone fill the budget stays with them), else, with the budget never filled, the first of all.
    """
    cut: int | None = None
    tokens, reached = 0, False
    for index in range(end - 1, start - 1, -1):
        selected = entries[index]
        if _has_role(selected, _CANDIDATES):
            cut = index
        if not reached and (weight := sum(map(counter.message, selected.messages))):
            tokens += weight
            reached = tokens >= keep_recent_tokens
        if reached and cut is not None:
            break
    return cut, reached


def _only_a_failed_attempt_follows(entries: Sequence[Selected], cut: int, end: int) -> bool:
    """Whether all behind the entry at `cut` is an attempt at an answer that edits took out again.

    Then the model has not seen the entry answered, and it may be what made the request too long: so that it can be
    summarised, the cut moves behind it. An edit that changes anything else forbids that.
    """
    omitted: set[str] = set()
    replaced: list[str | None] = []
    attempt = False
    for index in range(cut + 1, end):
        selected = entries[index]
        entry = selected.entry
        if selected.messages or _is_compaction(selected):
            return False
        if entry.type == "context_edit":
            body = entry.body
            if body.get("replacement", {}) is not None:
                target = body.get("targetId")
                replaced.append(target if isinstance(target, str) else None)
        elif original := entry_messages(entry):
            omitted.add(entry.id)
            attempt = attempt or role_of(original[0]) == "assistant"
    return attempt and omitted.issuperset(replaced)


def _has_role(selected: Selected, roles: frozenset[str]) -> bool:
    return not _is_compaction(selected) and any(role_of(message) in roles for message in selected.messages)


def _is_compaction(selected: Selected) -> bool:
    return selected.entry.type == "compaction"
