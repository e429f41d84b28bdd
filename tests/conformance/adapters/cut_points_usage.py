"""The op of the group cut_points that estimates a projection; that group's adapter imports it."""

from pi_lsp.base.json import Json
from pi_lsp.context import usage
from pi_lsp.context.select import select
from pi_lsp.session.entries import Entry
from pi_lsp.session.tree import Tree
from tests.conformance.case import Case
from tests.conformance.shapes import to_json


def estimate_projected(case: Case) -> Json:
    tree = Tree([Entry.of(body) for body in case.input["entries"]])
    path = tree.path(tree.leaf_id)
    return to_json(usage.estimate_projected(path, select(path)))
