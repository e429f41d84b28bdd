"""Hover in rule and skill files: on the head what the file is to an agent, on a path the rules that apply there."""

import asyncio
import os
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from lsprotocol import types

from pi_lsp.base.paths import FileUrlError, home_dir, is_within, path_to_uri, resolve, uri_to_path
from pi_lsp.lsp.language_server import PiServer
from pi_lsp.lsp.mentions import Mention, is_head, mentions
from pi_lsp.lsp.positions import split_lines, to_column, to_index

if TYPE_CHECKING:
    from pi_lsp.agent.window import Window
    from pi_lsp.api.rules import Rules
    from pi_lsp.lsp.page import Page
    from pi_lsp.lsp.rule_text import Here

Kind: TypeAlias = Literal["rules", "skill"]

SESSION_PATIENCE_S = 0.001
"""So long a hover waits for what the session has; then it says what was known before."""


class Found(NamedTuple):
    """A mentioned path; `target` is what stands there, None for an import of nothing."""

    mention: Mention
    target: str | None


def register(server: PiServer) -> None:
    """Answer hovers."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def _(params: types.HoverParams) -> types.Hover | None:
        path, position = uri_to_path(params.text_document.uri), params.position
        kind = kind_of(path) if path else None
        if path is None or kind is None:
            return None
        window = server.connection.window
        try:
            text = window.workspace.files.read(path).decode(errors="replace")
        except OSError:
            return None
        lines = split_lines(text)
        if position.line >= len(lines):
            return None
        line, encoding = lines[position.line], server.position_encoding
        found = find(window, path, line, to_index(line, position.character, encoding))
        on_head = is_head(lines, position.line, has_frontmatter=kind == "skill")
        page = _page(server, window)
        said = await hover_text(page, window, path, text, found, kind if on_head else None)
        if not said:
            return None
        mark = found and types.Range(
            types.Position(position.line, to_column(line, found.mention.start, encoding)),
            types.Position(position.line, to_column(line, found.mention.end, encoding)),
        )
        markup = types.MarkupKind.Markdown if server.shows_markdown else types.MarkupKind.PlainText
        return types.Hover(types.MarkupContent(markup, said), mark)


def kind_of(path: str) -> Kind | None:
    """Whether a document speaks to an agent, by its name; None for every other document."""
    from pi_lsp.agent.touched import is_among_skills  # noqa: PLC0415  not on the way to the initialize reply
    from pi_lsp.resources.rules import meant_name  # noqa: PLC0415  likewise

    name = os.path.basename(path)
    if meant_name(name):
        return "rules"
    return "skill" if name == "SKILL.md" or (name.endswith(".md") and is_among_skills(path)) else None


def find(window: "Window", path: str, line: str, index: int) -> Found | None:
    """The path that is mentioned at an index of a line of a document, judged by what exists.

    A relative one starts at the document's folder, else at its workspace folder. An import that is all of its line
    is one even where nothing stands there.
    """
    folders = [os.path.dirname(path), *(folder for folder in window.workspace.folders if is_within(folder, path))]
    for mention in mentions(line, index):
        for folder in folders:
            try:
                target = resolve(mention.text, folder)
            except FileUrlError:
                continue
            if window.workspace.files.kind(target):
                return Found(mention, target)
        if mention.is_import and line.strip() == "@" + mention.text:
            return Found(mention, None)
    return None


async def hover_text(
    page: "Page", window: "Window", path: str, text: str, found: Found | None, head: Kind | None
) -> str | None:
    """What there is to say at a place of a document of that text; `head` where the place is on the head of one."""
    from pi_lsp.lsp.rule_text import inert_import, rule_head, rules_at  # noqa: PLC0415  not on the way to the reply

    if found and not found.mention.is_import and found.target:
        rules, here = await _rules(window, found.target)
        return rules_at(page, rules, found.target, here)
    if head == "skill":
        return await _of_skill(page, window, path, text)
    if not found and not head:
        return None
    rules, here = await _rules(window, os.path.dirname(path))
    file = next((file for file in rules.files if file.uri == path_to_uri(path)), None)
    parts = [rule_head(page, rules, file, here) if head and file else None]
    if found:
        parts.append(inert_import(page, "@" + found.mention.text, found.target, rules))
    return "\n\n".join(filter(None, parts))


async def _rules(window: "Window", target: str) -> "tuple[Rules, Here]":
    """The rules that apply to a file or folder, with what the session has of them if that is found out in time."""
    from pi_lsp.agent.session_rules import SessionRules  # noqa: PLC0415  not on the way to the initialize reply
    from pi_lsp.api.rules import rules_of  # noqa: PLC0415  likewise
    from pi_lsp.lsp.rule_text import Here  # noqa: PLC0415  likewise

    in_session = await window.session_rules_within(SESSION_PATIENCE_S)
    directory = os.path.dirname(target) if window.workspace.files.kind(target) == "file" else target
    known = in_session or SessionRules(text="")
    return rules_of(window, directory, known), Here(cwd=window.cwd, session_known=in_session is not None)


async def _of_skill(page: "Page", window: "Window", path: str, text: str) -> str | None:
    from pi_lsp.api.skills import wire_skills  # noqa: PLC0415  not on the way to the initialize reply
    from pi_lsp.lsp.skill_text import skill_elsewhere, skill_head  # noqa: PLC0415  likewise

    trusted = window.trust().trusted
    found = await asyncio.to_thread(window.workspace.skills, window.place, trusted=trusted)
    counter = window.counting.counter
    skills = wire_skills(found, counter)
    skill = next((skill for skill in skills.skills if skill.uri == path_to_uri(path)), None)
    if skill is None:
        return skill_elsewhere(page, path, window.cwd) if os.path.basename(path) == "SKILL.md" else None
    return skill_head(page, skills, skill, counter.text(text))


def _page(server: PiServer, window: "Window") -> "Page":
    from pi_lsp.lsp.page import Page  # noqa: PLC0415  not on the way to the initialize reply

    return Page(markdown=server.shows_markdown, folders=tuple(window.workspace.folders), home=home_dir())
