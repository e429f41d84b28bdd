"""The estimating ops of the group cut_points; that group's adapter imports them."""

from pi_lsp.base.json import Json, as_object, objects
from pi_lsp.context import estimate
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import usage_of
from tests.conformance.case import Case
from tests.conformance.shapes import to_json


def estimate_tokens(case: Case) -> Json:
    return estimate.PI_COUNTER.message(as_object(case.input.get("message")))


def usage_tokens(case: Case) -> Json:
    return estimate.usage_tokens(as_object(case.input.get("usage")))


def last_usage(case: Case) -> Json:
    messages = [Entry.of(entry).message for entry in objects(case.input.get("entries"))]
    index = estimate.last_usage_index(messages)
    return None if index is None else usage_of(messages[index])


def estimate_context(case: Case) -> Json:
    return to_json(estimate.estimate_context(list(objects(case.input.get("messages")))))
