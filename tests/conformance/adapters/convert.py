"""The group convert."""

from pi_lsp.base.json import Json
from pi_lsp.context import convert, select
from pi_lsp.session.entries import Entry
from tests.conformance.case import Case
from tests.conformance.wording import NAMED_WORDING


def to_llm(case: Case) -> Json:
    return list(convert.to_llm(case.input["messages"], NAMED_WORDING))


def bash_text(case: Case) -> Json:
    return convert.bash_text(case.input["message"])


def entry_messages(case: Case) -> Json:
    return list(select.entry_messages(Entry.of(case.input["entry"])))


def project_entry(case: Case) -> Json:
    edit = Entry.of(case.input["edit"]) if case.input.get("edit") else None
    return list(select.project_entry(Entry.of(case.input["entry"]), edit))
