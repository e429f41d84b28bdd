"""The methods of the protocol: name, params, result and the function that answers."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

from pi_lsp.agent.window import Window
from pi_lsp.api import compact, context, explain, rules, sessions, skills, state, tree, trust
from pi_lsp.base.wire import Wire

P = TypeVar("P", bound=Wire)
R = TypeVar("R")


class NoParams(Wire, frozen=True, kw_only=True):
    """The params of a method that takes none."""


class Method(NamedTuple):
    """One method. `result` is a type or a union of types."""

    name: str
    params: type[Wire]
    result: Any
    call: Callable[[Window, Any], Awaitable[Any]]


def _method(name: str, params: type[P], result: Any, call: Callable[[Window, P], Awaitable[Any]]) -> Method:
    return Method(name, params, result, call)


METHODS = (
    _method("pi/state", NoParams, state.State, state.state),
    _method("pi/rules", rules.RulesParams, rules.Rules | rules.RulesOfMany, rules.rules),
    _method("pi/rules/all", NoParams, rules.AllRules, rules.rules_all),
    _method("pi/skills", NoParams, skills.Skills, skills.skills),
    _method("pi/session/list", sessions.ListParams, sessions.SessionList, sessions.list_sessions),
    _method("pi/session/entries", sessions.EntriesParams, sessions.Entries, sessions.session_entries),
    _method("pi/session/open", sessions.OpenParams, sessions.Opened, sessions.open_session),
    _method("pi/session/new", sessions.NewParams, sessions.Opened, sessions.new_session),
    _method("pi/tree", tree.TreeParams, tree.TreeResult, tree.tree),
    _method("pi/context", context.ContextParams, context.Context, context.context),
    _method("pi/explain", explain.ExplainParams, explain.Explanation, explain.explain),
    _method("pi/compact/preview", compact.PreviewParams, compact.Preview, compact.preview),
    _method("pi/trust/set", trust.TrustParams, trust.TrustResult, trust.set_trust),
)
"""Every method that the server answers, in the order of protocol.md."""
