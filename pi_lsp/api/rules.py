"""`pi/rules`, `pi/rules/all`, `pi/rules/session`: which rule files apply where, why others do not, what was told."""

import os

from pi_lsp.agent.session_rules import SessionRules
from pi_lsp.agent.window import Window
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.base.paths import path_to_uri, uri_to_path
from pi_lsp.base.wire import Wire
from pi_lsp.context.estimate import TokenCounter
from pi_lsp.resources import rules as engine
from pi_lsp.resources.rule_text import decode_rule
from pi_lsp.resources.rules import Reason, Scope


class RulesParams(Wire, frozen=True, kw_only=True):
    """A directory or a file, or several; the working directory where neither is given."""

    uri: str | None = None
    uris: list[str] | None = None


class RuleFile(Wire, frozen=True, kw_only=True):
    """A rule file in reading order. `tokens` is an estimate; `by` is the file that is read instead, or was before."""

    uri: str
    scope: Scope
    loaded: bool
    reason: Reason | None = None
    by: str | None = None
    detail: str | None = None
    in_session: bool
    changed_since: bool | None = None
    tokens: int
    bytes: int
    lines: int
    title: str | None = None
    applies_to: str | None = None
    """The directory it is for, where all are asked for."""


class Rules(Wire, frozen=True, kw_only=True):
    """The rule files of one directory, and what those that are loaded weigh together."""

    directory: str
    files: list[RuleFile]
    tokens: int
    bytes: int


class RulesOfMany(Wire, frozen=True, kw_only=True):
    """The answers for `uris`, in their order."""

    results: list[Rules]


class AllRules(Wire, frozen=True, kw_only=True):
    """Every rule file in and above the workspace folders, parents before children.

    `problems`: where none were looked for, because of a limit.
    """

    files: list[RuleFile]
    problems: tuple[str, ...] = ()


class SessionRuleParams(Wire, frozen=True, kw_only=True):
    """A rule file; it need not exist any more."""

    uri: str


class SessionRule(Wire, frozen=True, kw_only=True):
    """What the session was told of it, to be compared with the file as it is now."""

    text: str


async def rules(window: Window, params: RulesParams) -> Rules | RulesOfMany:
    """The rule files of one directory or several."""
    in_session = await window.session_rules()
    if params.uris is not None:
        directories = [directory_of(window, uri) for uri in params.uris]
        return RulesOfMany(results=[rules_of(window, directory, in_session) for directory in directories])
    directory = directory_of(window, params.uri) if params.uri is not None else window.place
    return rules_of(window, directory, in_session)


async def rules_all(window: Window, _params: object) -> AllRules:
    """Every rule file in and above the workspace folders."""
    in_session = await window.session_rules()
    await window.indexed()
    counter = window.counting.counter
    found = window.workspace.survey(window.place)
    return AllRules(
        files=[
            rule_file(record, in_session, counter, applies_to=path_to_uri(os.path.dirname(record.path)))
            for record in found
        ],
        problems=window.workspace.index_problems,
    )


async def rule_in_session(window: Window, params: SessionRuleParams) -> SessionRule:
    """The text that the session has of a rule file. Raises RefusedError where it has none."""
    path = _path_of(params.uri)
    in_session = await window.session_rules()
    try:
        now = decode_rule(window.workspace.files.read(path)).content
    except OSError:
        now = ""
    told = in_session.told(path, now)
    if told is None:
        why = "nothing was said in it yet" if in_session.text is None else "it was not told of this file"
        raise RefusedError("notFound", f"the session has no text of {path}: {why}")
    return SessionRule(text=told)


def rules_of(window: Window, directory: str, in_session: SessionRules) -> Rules:
    """The rule files that an agent started in `directory` would look at."""
    counter = window.counting.counter
    files = [rule_file(record, in_session, counter) for record in window.workspace.chain(directory)]
    loaded = [file for file in files if file.loaded]
    return Rules(
        directory=path_to_uri(directory),
        files=files,
        tokens=sum(file.tokens for file in loaded),
        bytes=sum(file.bytes for file in loaded),
    )


def directory_of(window: Window, uri: str) -> str:
    """The directory that a URI means: itself, or the one that its file lies in. It need not exist."""
    path = _path_of(uri)
    return os.path.dirname(path) if window.workspace.files.kind(path) == "file" else path


def _path_of(uri: str) -> str:
    path = uri_to_path(uri)
    if path is None:
        raise ParamsError(f"not the URI of a file or folder: {uri}")
    return path


def rule_file(
    record: engine.RuleFile, in_session: SessionRules, counter: TokenCounter, applies_to: str | None = None
) -> RuleFile:
    """A record as the wire has it."""
    text = record.text
    standing = in_session.standing(record.path, text.content, loaded=record.loaded)
    return RuleFile(
        uri=path_to_uri(record.path),
        scope=record.scope,
        loaded=record.loaded,
        reason=record.reason,
        by=path_to_uri(record.by) if record.by else None,
        detail=record.detail,
        in_session=standing != "absent",
        changed_since=True if standing == "changed" else None,
        tokens=counter.text(text.content),
        bytes=text.bytes,
        lines=text.lines,
        title=text.title,
        applies_to=applies_to,
    )
