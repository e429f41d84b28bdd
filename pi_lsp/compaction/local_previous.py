"""What an earlier summary of ours says about itself: that it is local, and how much it left out."""

import re
from collections.abc import Mapping

import msgspec

from pi_lsp.compaction.local_outline import Outline

LOCAL_NOTE = "This summary was put together locally, without a model; what stands in quotes was said in these words."

UNREAD = " characters in the middle of long messages were not read for this summary."
_NOTE = re.compile(r"\((\d{1,9}) ([^()]{1,80})\)")
REQUESTS = "older requests left out"
CONSTRAINTS = "older sentences of this kind left out"
WORK = "older pieces of work left out"
FILES = "more in the list of modified files at the end"
BEGUN = "older pieces of work in progress left out"
FAILURES = "older failures left out"
DECISIONS = "older statements left out"
STEPS = "further steps left out"
CHECKS = "older checks left out"
CONTEXT = "older notes left out"
_COUNTED = frozenset({REQUESTS, CONSTRAINTS, WORK, BEGUN, FAILURES, DECISIONS, STEPS, CHECKS, CONTEXT})


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier summary without what it says about itself."""

    outline: Outline
    left_out: Mapping[str, int]
    """How many lines were left out, by their kind."""
    unread: int


def recalled(outline: Outline) -> Recalled:
    """Take the notes about the summary itself out of it."""
    left_out: dict[str, int] = {}
    unread = 0
    rest: Outline = {}
    for section, items in outline.items():
        rest[section] = []
        for item in items:
            note = _NOTE.fullmatch(item)
            if note and note[2] in _COUNTED:
                left_out[note[2]] = left_out.get(note[2], 0) + int(note[1])
            elif section == "critical" and item.endswith(UNREAD) and (count := item.removesuffix(UNREAD)).isdecimal():
                unread += int(count[:12])
            elif item != LOCAL_NOTE and not (note and note[2] == FILES):
                rest[section].append(item)
    return Recalled(outline=rest, left_out=left_out, unread=unread)
