"""The op `context` of the group session_context; that group's adapter imports it."""

from pi_lsp.base.json import Json
from pi_lsp.context.select import select
from pi_lsp.session.entries import Entry
from pi_lsp.session.tree import Tree
from tests.conformance.case import Case
from tests.conformance.shapes import pick, to_json


def context(case: Case) -> Json:
    tree = Tree([Entry.of(body) for body in case.input["entries"]])
    projection = select(tree.path(case.input.get("leafId", tree.leaf_id)))
    return {
        "messages": projection.messages,
        "thinkingLevel": projection.thinking_level,
        "model": to_json(projection.model),
        "contextEntryIds": [selected.entry.get("id") for selected in projection.entries],
        "projection": [
            {
                **pick(selected.entry.body, "id", "type"),
                "roles": [message.get("role") for message in selected.messages],
            }
            for selected in projection.entries
        ],
    }
