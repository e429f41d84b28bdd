"""The estimate of a projection."""

from typing import Any

from pi_lsp.context.estimate import ContextEstimate
from pi_lsp.context.select import select
from pi_lsp.context.usage import estimate_projected
from pi_lsp.session.entries import Entry


def said(entry_id: str, **message: Any) -> Entry:
    return Entry.of({"type": "message", "id": entry_id, "message": {"role": "user", "content": "x" * 40} | message})


def billed(entry_id: str, tokens: int) -> Entry:
    return said(entry_id, role="assistant", content=[], usage={"totalTokens": tokens})


def estimate(*path: Entry, window: int | None = None) -> ContextEstimate:
    return estimate_projected(path, select(path), window=window)


def test_a_usage_is_believed_until_the_context_changes() -> None:
    edit = Entry.of({"type": "context_edit", "id": "e", "targetId": "gone", "replacement": None})
    assert estimate(said("a"), billed("b", 100), said("c")).tokens == 110
    assert estimate(said("a"), billed("b", 100), said("c"), edit).tokens == 20
    assert estimate(said("a"), edit, billed("b", 100), said("c")).tokens == 110


def test_C6_a_kept_usage_from_before_a_compaction_does_not_count() -> None:
    compaction = Entry.of({"type": "compaction", "id": "c", "summary": "x" * 8, "firstKeptEntryId": "b"})
    assert estimate(said("a"), billed("b", 190_000), compaction).tokens == 2


def test_C6_a_usage_that_cannot_be_is_distrusted_and_the_reason_given() -> None:
    result = estimate(said("a"), billed("b", 900_000), window=200_000)
    assert result.tokens == 10
    assert "900,000" in (result.doubt or "")
