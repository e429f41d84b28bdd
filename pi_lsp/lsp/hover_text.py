"""What a hover says, as pure functions over the values of the API.

Nothing of a file reaches the page as Markdown: names and texts stand in code spans, where no client follows a link,
loads an image or reads HTML. A client without Markdown gets the same sentences without marks.
"""

import os
import re
from collections.abc import Iterable, Iterator

import msgspec

from pi_lsp.api.rules import RuleFile, Rules
from pi_lsp.api.skills import SkillFile, Skills
from pi_lsp.base.paths import is_within, path_to_uri, uri_to_path
from pi_lsp.base.text import one_line
from pi_lsp.resources.rules import meant_name

_LONGEST_TEXT = 1200
"""UTF-16 units of a description or a name; more is cut with an ellipsis."""
_PROSE = re.compile(r"[A-Za-z0-9 ,.;'()-]+")
_BACKTICKS = re.compile("`+")


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """How a page is written: with or without Markdown, and with which folders its reader is at home."""

    markdown: bool
    folders: tuple[str, ...]
    home: str

    def code(self, text: str) -> str:
        """A text that is not ours, on one line and inert."""
        if not text.isprintable():
            text = "".join(char if char.isprintable() else " " for char in text)
        text = one_line(text, _LONGEST_TEXT)
        if not self.markdown:
            return text
        fence = "`" * (max((len(ticks) for ticks in _BACKTICKS.findall(text)), default=0) + 1)
        room = " " if not text or text[0] == "`" or text[-1] == "`" else ""
        return f"{fence}{room}{text}{room}{fence}"

    def prose(self, text: str) -> str:
        """A sentence that may hold names which are not ours: as it is where no letter of it can mean anything."""
        return text if _PROSE.fullmatch(text) and "www." not in text else self.code(text)

    def strong(self, text: str) -> str:
        """The sentence that is read first."""
        return f"**{text}**" if self.markdown else text

    def path(self, path: str) -> str:
        """A path as a reader knows it: below a workspace folder by that folder's name, below home by `~`."""
        roots = [(folder, os.path.basename(folder)) for folder in self.folders]
        for root, name in [*sorted(roots, key=lambda each: len(each[0]), reverse=True), (self.home, "~")]:
            if path == root or path.startswith(root + os.sep):
                return self.code(name + path[len(root) :])
        return self.code(path)

    def uri(self, uri: str) -> str:
        """The path of a URI."""
        path = uri_to_path(uri)
        return self.code(uri) if path is None else self.path(path)


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
    weight = f"{_tokens(file.tokens).capitalize()} in this file"
    if file.scope == "global" or not any(other.loaded for other in rules.files):
        return _paragraphs(*facts, f"{weight}.")
    together = f"{weight}, {_tokens(rules.tokens)} in all that an agent started here reads (later is closer):"
    return _paragraphs(*facts, together, _reading_order(page, rules.files, here, marked=file.uri))


def rules_at(page: Page, rules: Rules, target: str, here: Here) -> str:
    """The rules that apply to a file or folder, and why others do not. `rules` are those of its directory."""
    folder = uri_to_path(rules.directory) or ""
    loaded = [file for file in rules.files if file.loaded]
    heading = page.strong(f"Rules for {page.path(target)}")
    if not loaded:
        return _paragraphs(heading, "No rule file applies there.", _left_out(page, rules.files))
    where = "there" if folder == target else f"in {page.path(folder)}"
    lead = f"An agent started {where} reads {_tokens(rules.tokens)} (later is closer):"
    return _paragraphs(
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


def skill_head(page: Page, skills: Skills, skill: SkillFile, file_tokens: int) -> str:
    """What a skill is called, whether the prompt names it and why not, and whom it collides with."""
    name = page.code(skill.name)
    if skill.listed:
        state = f"The prompt names it ({_tokens(skill.tokens)}); the model reads the file when it is needed."
    else:
        state = f"The prompt does not name it: {page.prose(skill.reason or '')}."
    collisions = [
        f"Wins over {page.uri(collision.loser)}, which has the same name."
        for collision in skills.collisions
        if collision.winner == skill.uri
    ]
    return _paragraphs(
        page.strong(f"Skill {name}"),
        page.code(skill.description) if skill.description else None,
        state,
        *collisions,
        f"{_tokens(file_tokens).capitalize()} in this file.",
    )


def skill_elsewhere(page: Page, path: str, cwd: str | None) -> str:
    """That a SKILL.md lies where this window's agent does not look for skills."""
    agent = f"This window's agent, which works in {page.path(cwd)}," if cwd else "This window's agent"
    name = page.code(os.path.basename(os.path.dirname(path)))
    return _paragraphs(page.strong(f"Skill {name}"), f"{agent} does not find it: it looks for no skills in this place.")


def _reading_order(page: Page, files: Iterable[RuleFile], here: Here, marked: str | None = None) -> str:
    lines: list[str] = []
    for number, file in enumerate((file for file in files if file.loaded), 1):
        name = page.strong(page.uri(file.uri)) if file.uri == marked else page.uri(file.uri)
        notes = [name, _tokens(file.tokens)]
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
    by = page.uri(file.by) if file.by else ""
    match file.reason:
        case "shadowed":
            return f"{by} is read instead"
        case "notAFile":
            return f"it is no file but {page.prose(file.detail or '')}"
        case "unreadable":
            return f"it cannot be read ({page.prose(file.detail or '')})"
        case "otherCase":
            meant = meant_name(os.path.basename(uri_to_path(file.uri) or "")) or ""
            return f"Pi looks for {page.code(meant)} and does not know this spelling"
        case "worktree":
            return f"this is a git worktree of that repository, and its own {by} is read"
        case _:
            return "it lies below the working directory"


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
    return "This session has it as it is."


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


def _tokens(count: int) -> str:
    return f"about {count:,} token{'' if count == 1 else 's'}"


def _paragraphs(*parts: str | None) -> str:
    return "\n\n".join(_given(parts))


def _given(parts: Iterable[str | None]) -> Iterator[str]:
    return (part for part in parts if part)
