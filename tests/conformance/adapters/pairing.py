"""The group pairing."""

import msgspec

from pi_lsp.base.json import Json
from pi_lsp.base.text import without_surrogates
from pi_lsp.context import pairing
from pi_lsp.context.model import Model
from pi_lsp.context.trace import Traced
from pi_lsp.llm.messages import anthropic_messages
from pi_lsp.session import times
from pi_lsp.session.messages import Message
from tests.conformance.case import Case


def transform(case: Case) -> Json:
    return list(_transformed(case))


def anthropic(case: Case) -> Json:
    mark_last = case.input.get("cache", False)
    allow_empty = case.input.get("allowEmptySignature", False)
    return list(anthropic_messages(_transformed(case), mark_last=mark_last, allow_empty_signature=allow_empty))


def normalize_id(case: Case) -> Json:
    return pairing.normalize_id(case.input["id"])


def sanitize(case: Case) -> Json:
    return without_surrogates(case.input["text"])


def _transformed(case: Case) -> list[Message]:
    model = msgspec.convert({"id": "claude-x", **case.input.get("model", {})}, Model)
    traced = Traced.of(case.input["messages"])
    now = times.to_milliseconds(times.now())
    return pairing.transform(traced, model, normalize=case.input.get("normalize", True), now=now).messages
