"""The system prompt, built in named sections that can be replaced one by one later.

Sections, tags and their order are Pi 1.6.0's; the sentences are those of a `Wording`. There is no date anywhere, so the
prompt of a session stays the same from day to day.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from pi_lsp.base.text import JS_SPACE
from pi_lsp.context.wording import WORDING, Wording
from pi_lsp.resources.rules import ContextFile

SkillReader: TypeAlias = Literal["read", "bash", "indirect"]
"""How the model gets at a skill's file; `indirect`: by a tool that is reached through another one."""

DEFAULT_TOOLS = ("read", "bash", "edit", "write")
PREAMBLE = "preamble"
"""The one section without a tag."""

_SECTION_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_SHELLS = ("bash", "powershell")
_FINDERS = frozenset({"grep", "find", "ls"})


class SectionNameError(ValueError):
    """A section has a name that cannot be a tag, or the preamble's."""


class ToolSet(msgspec.Struct, frozen=True, kw_only=True):
    """The tools of a session and what they say about themselves in the prompt."""

    names: Sequence[str] = DEFAULT_TOOLS
    hidden: Sequence[str] = ()
    """Those of `names` that the model reaches only through another tool; the prompt does not name them."""
    snippets: Mapping[str, str] = {}
    """One line for each tool; a tool without one is not listed."""
    rules: Mapping[str, Sequence[str]] = {}

    @property
    def visible(self) -> list[str]:
        """The tools that the prompt may name, in order of selection."""
        return [name for name in self.names if name not in self.hidden]

    @property
    def skill_reader(self) -> SkillReader | None:
        """How skills are read with these tools; None where they cannot be, so that none are listed."""
        visible = self.visible
        if "read" in visible:
            return "read"
        if "bash" in visible:
            return "bash"
        return "indirect" if {"read", "bash"} & set(self.names) else None


class PromptParts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a system prompt is made of. An empty text stands for nothing."""

    cwd: str
    tools: ToolSet = ToolSet()
    rules: Sequence[str] = ()
    """Rules of the caller, after those of the tools."""
    custom: str = ""
    """Takes the place of preamble, tools, rules and docs (SYSTEM.md)."""
    addendum: str = ""
    """APPEND_SYSTEM.md."""
    context_files: Sequence[ContextFile] = ()
    skills: str = ""
    """The list of skills, written for `tools.skill_reader`."""
    sections: Mapping[str, str] = {}
    """Further sections by name; the name of a built-in one replaces its text."""
    forced: str | None = None
    """Sent instead of all sections, and never stored."""


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """A system prompt: the text to send, and the sections to remember."""

    text: str
    sections: dict[str, str]
    """In order, each with its tag."""
    forced: bool


def build_prompt(parts: PromptParts, wording: Wording = WORDING) -> Prompt:
    """Build a system prompt.

    Raises:
        SectionNameError: a custom section has a name that cannot be used.
    """
    sections = build_sections(parts, wording)
    if parts.forced is not None:
        return Prompt(text=parts.forced, sections=sections, forced=True)
    return Prompt(text="\n\n".join(sections.values()), sections=sections, forced=False)


def build_sections(parts: PromptParts, wording: Wording = WORDING) -> dict[str, str]:
    """The sections by name, in order, each with its tag. Raises SectionNameError."""
    bodies = {name: body for name, body in _bodies(parts, wording) if body is not None}
    for name, body in parts.sections.items():
        if name == PREAMBLE or not _SECTION_NAME.fullmatch(name):
            raise SectionNameError(f"Invalid system prompt section name: {name}")
        if body:
            bodies[name] = body
    return {name: body if name == PREAMBLE else f"<{name}>\n{body}\n</{name}>" for name, body in bodies.items()}


def _bodies(parts: PromptParts, wording: Wording) -> Iterator[tuple[str, str | None]]:
    yield PREAMBLE, parts.custom or wording.preamble
    if not parts.custom:
        yield "tools", _tool_list(parts.tools, wording)
        yield "rules", "\n".join(f"- {rule}" for rule in _distinct(_rules(parts, wording)))
        yield "docs", wording.docs or None
    yield "addendum", parts.addendum or None
    yield "project_context", _project_context(parts.context_files, wording) if parts.context_files else None
    yield "skills", parts.skills.strip() or None
    yield "cwd", parts.cwd.replace("\\", "/")


def _tool_list(tools: ToolSet, wording: Wording) -> str:
    lines = [f"- {name}: {snippet}" for name in tools.visible if (snippet := tools.snippets.get(name))]
    return "\n".join(lines or ["(none)"]) + f"\n\n{wording.tools_note}"


def _rules(parts: PromptParts, wording: Wording) -> Iterator[str]:
    visible = parts.tools.visible
    if not _FINDERS.intersection(visible):
        match [shell for shell in _SHELLS if shell in visible]:
            case ["bash"]:
                yield wording.rule_bash
            case ["powershell"]:
                yield wording.rule_powershell
            case ["bash", "powershell"]:
                yield wording.rule_bash_or_powershell
            case _:
                pass
    for name in visible:
        yield from parts.tools.rules.get(name, ())
    yield from parts.rules
    yield wording.rule_concise
    yield wording.rule_paths


def _distinct(rules: Iterable[str]) -> Iterable[str]:
    """The rules trimmed, without blank ones and repetitions, in order."""
    return dict.fromkeys(trimmed for rule in rules if (trimmed := rule.strip(JS_SPACE)))


def _project_context(files: Iterable[ContextFile], wording: Wording) -> str:
    return "\n\n".join(
        [
            wording.context_lead,
            *(f'<project_instructions path="{file.path}">\n{file.content}\n</project_instructions>' for file in files),
        ]
    )
