"""The ops of the group trust; the runner writes the store and sets the home folder."""

from pi_lsp.base.files import Disk
from pi_lsp.base.json import Json
from pi_lsp.resources import trust
from tests.conformance.case import Case
from tests.conformance.shapes import answer_or_error

_ERRORS = (trust.TrustStoreError,)


def requires(case: Case) -> Json:
    return trust.requires(case.path(case.input.get("cwd", "$ROOT/p")), Disk())


def lookup(case: Case) -> Json:
    cwd, agent_dir = case.path(case.input["cwd"]), case.path("$ROOT/agent")
    return answer_or_error(lambda: {"entry": trust.lookup(cwd, agent_dir, Disk())}, _ERRORS)


def set(case: Case) -> Json:  # noqa: A001  the op's name
    agent_dir = case.path("$ROOT/agent")
    updates = [trust.TrustUpdate(**update) for update in case.paths(case.input["updates"])]

    def save() -> Json:
        trust.save(updates, agent_dir)
        return {"file": str(Disk().read(trust.store_path(agent_dir)), "utf-8")}

    return answer_or_error(save, _ERRORS)
