"""What hovers and pages say of rule files, as pure functions over the values of the API."""

import os
from collections.abc import Iterable

import msgspec

from pi_lsp.api.rules import RuleFile, Rules
from pi_lsp.base.paths import is_within, path_to_uri, uri_to_path
from pi_lsp.lsp.page import Page, about_tokens, paragraphs
from pi_lsp.resources.rule_reasons import why_not_loaded


class Here(msgspec.Struct, frozen=True, kw_only=True):
    """The window that a page is written for. `session_known`: what its session has was found out in time."""

    cwd: str | None
    session_known: bool


def rule_head(page: Page, rules: Rules, file: RuleFile, here: Here) -> str:
    """What a rule file is for, whether it is read, and in which company. `rules` are those of its own folder."""
    folder = uri_to_path(rules.directory) or ""
    if not file.loaded:
        facts = [f"{page.strong('Not read by any agent')}: {_why_not(page, file)}."]
    else:
        target = "every project" if file.scope == "global" else f"{page.path(folder)} and everything below it"
        facts = [page.strong(f"Rules for {target}")]
        facts += filter(None, [_by_this_window(page, folder, file, here), _in_this_session(file, here)])
        if shadowed := [page.uri(other.uri) for other in rules.files if other.by == file.uri and not other.loaded]:
            facts.append(f"Read instead of {', '.join(shadowed)}.")
    weight = f"{about_tokens(file.tokens).capitalize()}."
    if file.scope == "global" or not any(other.loaded for other in rules.files):
        return paragraphs(*facts, weight)
    together = f"{weight} An agent started here reads {about_tokens(rules.tokens)} in all, the closest last:"
    return paragraphs(*facts, together, _reading_order(page, rules.files, here, marked=file.uri))


def rules_at(page: Page, rules: Rules, target: str, here: Here) -> str:
    """The rules that apply to a file or folder, and why others do not. `rules` are those of its directory."""
    folder = uri_to_path(rules.directory) or ""
    loaded = [file for file in rules.files if file.loaded]
    heading = page.strong(f"Rules for {page.path(target)}")
    if not loaded:
        return paragraphs(heading, "No rule file applies there.", _left_out(page, rules.files))
    where = "there" if folder == target else f"in {page.path(folder)}"
    lead = f"An agent started {where} reads {about_tokens(rules.tokens)}, the closest last:"
    return paragraphs(
        heading,
        lead,
        _reading_order(page, rules.files, here),
        _left_out(page, rules.files),
        _unread_below(page, loaded, here),
    )


def inert_import(page: Page, text: str, target: str | None, rules: Rules) -> str:
    """That an `@path` is not expanded. `target` is the file that it names, where there is one."""
    if target is None:
        end = "There is no such file here."
    elif any(file.loaded and file.uri == path_to_uri(target) for file in rules.files):
        end = "It reads that file anyway, as a rule file of its own."
    else:
        end = "Copy what matters, or tell the model when to read the file."
    return f"Pi does not expand {page.code(text)}: the model sees the words, not the file. {end}"


def _reading_order(page: Page, files: Iterable[RuleFile], here: Here, marked: str | None = None) -> str:
    lines: list[str] = []
    for number, file in enumerate((file for file in files if file.loaded), 1):
        name = page.strong(page.uri(file.uri)) if file.uri == marked else page.uri(file.uri)
        notes = [name, about_tokens(file.tokens)]
        if here.session_known and file.in_session:
            notes.append("changed since this session got it" if file.changed_since else "in this session")
        if file.reason == "duplicate" and file.by:
            notes.append(f"the same file as {page.uri(file.by)}, read twice")
        lines.append(f"{number}. {', '.join(notes)}")
    return "\n".join(lines)


def _left_out(page: Page, files: Iterable[RuleFile]) -> str | None:
    lines = [f"- {page.uri(file.uri)}: {_why_not(page, file)}" for file in files if not file.loaded]
    return "\n".join(["Not read:", "", *lines]) if lines else None


def _why_not(page: Page, file: RuleFile) -> str:
    return why_not_loaded(file.reason, by=page.uri(file.by) if file.by else "", detail=page.prose(file.detail or ""))


def _by_this_window(page: Page, folder: str, file: RuleFile, here: Here) -> str | None:
    if here.cwd is None:
        return None
    agent = f"this window's agent, which works in {page.path(here.cwd)}"
    if file.scope == "global" or is_within(folder, here.cwd):
        return f"Read by {agent}."
    why = "it reads no rules below that" if is_within(here.cwd, folder) else "this folder is not above it"
    return f"Not read by {agent}: {why}. An agent started here reads it."


def _in_this_session(file: RuleFile, here: Here) -> str | None:
    if not here.session_known or not file.in_session:
        return None
    if file.changed_since:
        return "Changed since this session got it: the model still has the older text."
    return "This session has its present text."


def _unread_below(page: Page, loaded: Iterable[RuleFile], here: Here) -> str | None:
    """Which of the rules this window's agent does not read."""
    if here.cwd is None:
        return None
    folders = (os.path.dirname(uri_to_path(file.uri) or "") for file in loaded if file.scope != "global")
    unread = [folder for folder in folders if not is_within(folder, here.cwd)]
    if not unread:
        return None
    return (
        f"This window's agent works in {page.path(here.cwd)} and does not read the rules of "
        f"{_and(map(page.path, unread))}: it reads none below or beside its working directory."
    )


def _and(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
