"""The methods of the protocol: name, params, result and the function that answers."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

from pi_lsp.agent.window import Window
from pi_lsp.api import (
    chat,
    compact,
    compaction,
    context,
    doing,
    explain,
    models,
    restore,
    rules,
    session_files,
    sessions,
    skills,
    state,
    switching,
    tree,
    trust,
)
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
    _method("pi/rules/load", restore.LoadParams, restore.LoadResult, restore.load_rules),
    _method("pi/skills", NoParams, skills.Skills, skills.skills),
    _method("pi/session/list", sessions.ListParams, sessions.SessionList, sessions.list_sessions),
    _method("pi/session/entries", sessions.EntriesParams, sessions.Entries, sessions.session_entries),
    _method("pi/session/open", sessions.OpenParams, sessions.Opened, sessions.open_session),
    _method("pi/session/new", sessions.NewParams, sessions.Opened, sessions.new_session),
    _method("pi/session/fork", session_files.ForkParams, sessions.Opened, session_files.fork_session),
    _method("pi/session/clone", NoParams, sessions.Opened, session_files.clone_session),
    _method("pi/session/rename", session_files.RenameParams, session_files.RenameResult, session_files.rename_session),
    _method("pi/session/delete", session_files.DeleteParams, session_files.DeleteResult, session_files.delete_session),
    _method("pi/tree", tree.TreeParams, tree.TreeResult, tree.tree),
    _method("pi/tree/switch", switching.SwitchParams, switching.SwitchResult, doing.switch),
    _method("pi/tree/label", switching.LabelParams, switching.LabelResult, switching.label),
    _method("pi/chat", chat.ChatParams, chat.ChatResult, chat.chat),
    _method("pi/abort", NoParams, chat.AbortResult, chat.abort),
    _method("pi/queue/set", chat.QueueParams, chat.AbortResult, chat.set_queue),
    _method("pi/model/list", NoParams, models.ModelList, models.list_models),
    _method("pi/model/set", models.ModelParams, state.State, models.set_model),
    _method("pi/thinking/set", models.ThinkingParams, state.State, models.set_thinking),
    _method("pi/auth/set", models.AuthParams, models.AuthResult, models.set_auth),
    _method("pi/compact", compaction.CompactParams, compaction.CompactResult, doing.compact),
    _method("pi/compact/preview", compact.PreviewParams, compact.Preview, compact.preview),
    _method("pi/compact/undo", NoParams, compaction.UndoResult, doing.undo_compaction),
    _method("pi/context", context.ContextParams, context.Context, context.context),
    _method("pi/context/restore", restore.RestoreParams, restore.RestoreResult, restore.restore),
    _method("pi/explain", explain.ExplainParams, explain.Explanation, explain.explain),
    _method("pi/trust/set", trust.TrustParams, trust.TrustResult, trust.set_trust),
)
"""Every method that the server answers, in the order of protocol.md."""
