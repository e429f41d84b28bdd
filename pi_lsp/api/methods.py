"""The methods of the protocol: name, params, result and the function that answers."""

from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple, TypeVar

from pi_lsp.agent.summarizing import Report
from pi_lsp.agent.window import Window
from pi_lsp.api import (
    chat,
    compact,
    compaction,
    context,
    doing,
    entries,
    explain,
    models,
    restore,
    rules,
    session_files,
    sessions,
    skills,
    state,
    switching,
    templates,
    tree,
    trust,
)
from pi_lsp.api.progress import ProgressParams
from pi_lsp.base.wire import Wire

P = TypeVar("P", bound=Wire)
Q = TypeVar("Q", bound=ProgressParams)


class NoParams(Wire, frozen=True, kw_only=True):
    """The params of a method that takes none."""


class Method(NamedTuple):
    """One method. `result` is a type or a union of types.

    One with a `title` takes long: its params are `ProgressParams`, and `call` may be given a third argument, which
    hears what is being done.
    """

    name: str
    params: type[Wire]
    result: Any
    call: Callable[..., Coroutine[Any, Any, Any]]
    title: str | None = None


def _method(name: str, params: type[P], result: Any, call: Callable[[Window, P], Coroutine[Any, Any, Any]]) -> Method:
    return Method(name, params, result, call)


def _long_method(
    name: str, params: type[Q], result: Any, call: Callable[[Window, Q, Report], Coroutine[Any, Any, Any]], title: str
) -> Method:
    return Method(name, params, result, call, title)


METHODS = (
    _method("pi/state", NoParams, state.State, state.state),
    _method("pi/rules", rules.RulesParams, rules.Rules | rules.RulesOfMany, rules.rules),
    _method("pi/rules/all", NoParams, rules.AllRules, rules.rules_all),
    _method("pi/rules/session", rules.SessionRuleParams, rules.SessionRule, rules.rule_in_session),
    _method("pi/rules/load", restore.LoadParams, restore.LoadResult, restore.load_rules),
    _method("pi/skills", NoParams, skills.Skills, skills.skills),
    _method("pi/templates", NoParams, templates.Templates, templates.templates),
    _method("pi/session/list", sessions.ListParams, sessions.SessionList, sessions.list_sessions),
    _method("pi/session/entries", entries.EntriesParams, entries.Entries, entries.session_entries),
    _method("pi/session/open", sessions.OpenParams, sessions.Opened, sessions.open_session),
    _method("pi/session/new", sessions.NewParams, sessions.Opened, sessions.new_session),
    _method("pi/session/fork", session_files.ForkParams, sessions.Opened, session_files.fork_session),
    _method("pi/session/clone", NoParams, sessions.Opened, session_files.clone_session),
    _method("pi/session/rename", session_files.RenameParams, session_files.RenameResult, session_files.rename_session),
    _method("pi/session/delete", session_files.DeleteParams, session_files.DeleteResult, session_files.delete_session),
    _method("pi/tree", tree.TreeParams, tree.TreeResult, tree.tree),
    _long_method("pi/tree/switch", switching.SwitchParams, switching.SwitchResult, doing.switch, "pi: switching"),
    _method("pi/tree/label", switching.LabelParams, switching.LabelResult, switching.label),
    _method("pi/chat", chat.ChatParams, chat.ChatResult, chat.chat),
    _method("pi/abort", NoParams, chat.AbortResult, chat.abort),
    _method("pi/queue/set", chat.QueueParams, chat.AbortResult, chat.set_queue),
    _method("pi/model/list", NoParams, models.ModelList, models.list_models),
    _method("pi/model/set", models.ModelParams, state.State, models.set_model),
    _method("pi/thinking/set", models.ThinkingParams, state.State, models.set_thinking),
    _method("pi/auth/set", models.AuthParams, models.AuthResult, models.set_auth),
    _long_method("pi/compact", compaction.CompactParams, compaction.CompactResult, doing.compact, "pi: compacting"),
    _method("pi/compact/preview", compact.PreviewParams, compact.Preview, compact.preview),
    _method("pi/compact/undo", NoParams, compaction.UndoResult, doing.undo_compaction),
    _method("pi/context", context.ContextParams, context.Context, context.context),
    _method("pi/context/restore", restore.RestoreParams, restore.RestoreResult, restore.restore),
    _method("pi/explain", explain.ExplainParams, explain.Explanation, explain.explain),
    _method("pi/trust/set", trust.TrustParams, trust.TrustResult, trust.set_trust),
)
"""Every method that the server answers, in the order of protocol.md."""
