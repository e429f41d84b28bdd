"""§7: the token estimate and the cut point."""

from collections.abc import Sequence

import msgspec

from pi_lsp.base.json import Json, objects
from pi_lsp.compaction import cut
from pi_lsp.compaction.cut import find_cut
from pi_lsp.context.select import Selected, entry_messages, select
from pi_lsp.resources.settings import CompactionSettings
from pi_lsp.session.entries import Entry
from pi_lsp.session.tree import Tree
from tests.conformance.adapters.cut_points_estimates import estimate_context, estimate_tokens, last_usage, usage_tokens
from tests.conformance.adapters.cut_points_usage import estimate_projected
from tests.conformance.case import Case
from tests.conformance.shapes import to_json

__all__ = [
    "defaults",
    "estimate_context",
    "estimate_projected",
    "estimate_tokens",
    "find",
    "last_usage",
    "projected",
    "should_compact",
    "turn_start",
    "usage_tokens",
    "valid_cut_points",
]


def find(case: Case) -> Json:
    return _cut(case, _unedited(case), 0)


def projected(case: Case) -> Json:
    tree = Tree(map(Entry.of, objects(case.input["entries"])))
    entries = select(tree.path(tree.leaf_id)).entries
    start = cut.history_start(entries)
    return {"projected": [item.entry.get("id") for item in entries], "start": start, "cut": _cut(case, entries, start)}


def turn_start(case: Case) -> Json:
    return cut.turn_start(_unedited(case), case.input["index"], case.input.get("start", 0))


def valid_cut_points(case: Case) -> Json:
    return list(cut.valid_cut_points(_unedited(case)))


def defaults(_case: Case) -> Json:
    return to_json(CompactionSettings())


def should_compact(case: Case) -> Json:
    settings = msgspec.convert(case.input["settings"], CompactionSettings)
    return cut.should_compact(case.input["contextTokens"], case.input["contextWindow"], settings)


def _unedited(case: Case) -> list[Selected]:
    stored = map(Entry.of, objects(case.input["entries"]))
    return [Selected(entry=entry, messages=tuple(entry_messages(entry))) for entry in stored]


def _cut(case: Case, entries: Sequence[Selected], start: int) -> Json:
    given = case.input
    found = find_cut(entries, given["keepRecentTokens"], given.get("start", start), given.get("end"))
    return {
        "firstKeptEntryIndex": found.first_kept_entry_index,
        "turnStartIndex": found.turn_start_index,
        "isSplitTurn": found.is_split_turn,
    }
