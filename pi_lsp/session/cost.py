"""What the entries of a session have cost, read without decoding the texts around it."""

from typing import Final

import msgspec

from pi_lsp.base.json import as_object
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import usage_of
from pi_lsp.session.source import StoredEntry

_WITH_USAGE: Final = frozenset({"message", "compaction", "branch_summary"})


class _Cost(msgspec.Struct):
    total: float = 0.0


class _Usage(msgspec.Struct):
    cost: _Cost | None = None


class _Message(msgspec.Struct):
    usage: _Usage | None = None


class _Line(msgspec.Struct):
    message: _Message | None = None
    usage: _Usage | None = None


_decode = msgspec.json.Decoder(_Line).decode


def cost_of(entry: Entry) -> float:
    """US dollars that an answer or a summary cost, as its provider's usage says; 0 where it says nothing."""
    if entry.type not in _WITH_USAGE:
        return 0.0
    if isinstance(entry, StoredEntry):
        try:
            line = _decode(entry.line)
        except (msgspec.DecodeError, UnicodeError, OSError):
            pass
        else:
            usage = line.message.usage if line.message else line.usage
            return usage.cost.total if usage and usage.cost else 0.0
    usage = usage_of(entry.message) if entry.type == "message" else as_object(entry.get("usage"))
    total = as_object(usage.get("cost")).get("total")
    return float(total) if isinstance(total, int | float) and not isinstance(total, bool) else 0.0
