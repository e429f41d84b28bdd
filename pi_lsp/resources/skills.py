"""Skills: folders of instructions that a model loads when a task calls for them.

Here a skill file becomes a `Skill`, and a row of files becomes the set that counts. Which files those are is the
business of scan.py (one folder) and places.py (all of them).
"""

import os
import re
from collections.abc import Sequence
from typing import TypeGuard

import msgspec

from pi_lsp.base.files import Files
from pi_lsp.base.json import Json
from pi_lsp.base.paths import FileUrlError, is_within, resolve
from pi_lsp.base.text import JS_SPACE, utf16_length
from pi_lsp.resources.frontmatter import split
from pi_lsp.resources.resource import (
    Diagnostic,
    Scope,
    Skipped,
    SkipReason,
    Source,
    SourceOf,
    collision,
    local_source,
    skipped_file,
)
from pi_lsp.resources.rule_text import decode_rule
from pi_lsp.resources.scan import PI_SKILLS, SKILL_NAME, Found, Scan, scan

MAX_NAME_LENGTH = 64
"""UTF-16 units of a name, as the Agent Skills format allows."""
MAX_DESCRIPTION_LENGTH = 1024
"""UTF-16 units of a description."""

DISABLE_KEY = "disable-model-invocation"

_NAME = re.compile(r"[a-z0-9-]+")


class Skill(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A skill that counts.

    `base_dir` is the folder of its file; relative paths in the skill start there. With `disable_model_invocation`
    the model is not told of it, but the user can still call it by `/skill:NAME`.
    """

    name: str
    description: str
    file_path: str
    base_dir: str
    disable_model_invocation: bool
    source: Source


class SkillSet(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The skills of a place or of all places, in order of precedence, and what there is to say about the others."""

    skills: tuple[Skill, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    problems: tuple[str, ...] = ()
    """What was not looked at because of a limit."""


def validate_name(name: str) -> list[str]:
    """What the Agent Skills format has against a name; the skill loads all the same."""
    problems: list[str] = []
    if (length := utf16_length(name)) > MAX_NAME_LENGTH:
        problems.append(f"name exceeds {MAX_NAME_LENGTH} characters ({length})")
    if not _NAME.fullmatch(name):
        problems.append("name contains invalid characters (must be lowercase a-z, 0-9, hyphens only)")
    if name.startswith("-") or name.endswith("-"):
        problems.append("name must not start or end with a hyphen")
    if "--" in name:
        problems.append("name must not contain consecutive hyphens")
    return problems


def is_described(description: Json) -> TypeGuard[str]:
    """Whether this is a description at all; a skill without one does not load."""
    return isinstance(description, str) and description.strip(JS_SPACE) != ""


def validate_description(description: Json) -> list[str]:
    """What the Agent Skills format has against a description."""
    if not is_described(description):
        return ["description is required"]
    if (length := utf16_length(description)) > MAX_DESCRIPTION_LENGTH:
        return [f"description exceeds {MAX_DESCRIPTION_LENGTH} characters ({length})"]
    return []


def read_skill(files: Files, path: str, source: Source) -> tuple[Skill | Skipped, list[Diagnostic]]:
    """Read one file, as Pi 1.6.0 does: the skill, or why it is none, and the warnings about it.

    A Markdown file that is not called SKILL.md need not be a skill, so nothing is reported where it is none.
    """
    folder, file_name = os.path.split(path)
    is_declared = file_name == SKILL_NAME
    fallback_name = os.path.basename(folder)

    def skip(reason: SkipReason, detail: str, line: int | None = None) -> Skipped:
        name = fallback_name if is_declared else file_name.removesuffix(".md")
        return Skipped(path=path, name=name, reason=reason, detail=detail, line=line)

    def warn(message: str, line: int | None = None) -> Diagnostic:
        return Diagnostic(type="warning", message=message, path=path, line=line)

    try:
        raw = files.read(path)
    except OSError as error:
        message = f"the file cannot be read: {error.strerror or error}"
        return skip("unreadable", message), [warn(message)]
    front = split(raw.decode(errors="replace"))
    if (problem := front.problem) is not None:
        skipped = skip("invalid", problem.message, problem.line)
        return skipped, [warn(problem.message, problem.line)] if is_declared else []

    description = front.fields.get("description")
    given_name = front.fields.get("name")
    name = given_name if isinstance(given_name, str) and given_name else fallback_name
    warnings = [warn(message, front.lines.get("description")) for message in validate_description(description)]
    warnings += [warn(message, front.lines.get("name")) for message in validate_name(name)]
    if not is_described(description):
        if (bad_byte := decode_rule(raw).bad_byte) is not None:
            skipped = skip("unreadable", f"this is not UTF-8 text from byte {bad_byte} on")
        else:
            skipped = skip("noDescription", "description is required", front.lines.get("description"))
        return skipped, warnings if is_declared else []
    skill = Skill(
        name=name,
        description=description,
        file_path=path,
        base_dir=folder,
        disable_model_invocation=front.fields.get(DISABLE_KEY) is True,
        source=source,
    )
    return skill, warnings


class SkillCollector:
    """Reads one file after the other; the first of a name wins, and one file counts once."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._by_name: dict[str, Skill] = {}
        self._by_file: dict[str, Skill] = {}
        self._warnings: list[Diagnostic] = []
        self._collisions: list[Diagnostic] = []
        self._skipped: list[Skipped] = []
        self._problems: dict[str, None] = {}

    def note(self, problem: str) -> None:
        """Note what is not looked at."""
        self._problems[problem] = None

    def add(self, found: Found, source: Source) -> None:
        """Read a file that may be a skill."""
        skill, warnings = read_skill(self._files, found.path, source)
        self._warnings += warnings
        if isinstance(skill, Skipped):
            self._skipped.append(skill)
        elif same := self._by_file.get(found.real):
            self._skip(skill, "duplicate", same)
        elif winner := self._by_name.get(skill.name):
            self._skip(skill, "shadowed", winner)
            self._collisions.append(collision(skill.name, winner.file_path, found.path))
        else:
            self._by_name[skill.name] = skill
            self._by_file[found.real] = skill

    def add_path(self, path: str, source_of: SourceOf) -> None:
        """Read a file, or what is found in a folder. Warns where there is neither."""
        kind = self._files.kind(path)
        if kind == "dir":
            found = scan(self._files, path, PI_SKILLS, self.note)
            for each in found.found:
                self.add(each, source_of(each.path))
            self.skip_ignored(found)
        elif kind == "file" and path.endswith(".md"):
            self.add(Found(path=path, real=self._files.realpath(path)), source_of(path))
        else:
            self.warn("skill path does not exist" if kind is None else "skill path is not a markdown file", path)

    def skip_ignored(self, found: Scan) -> None:
        """Note the files that ignore rules hide."""
        self._skipped += (skipped_file(each.path, "ignored") for each in found.ignored)

    def skip(self, skipped: Skipped) -> None:
        """Note a file that is not read."""
        self._skipped.append(skipped)

    def warn(self, message: str, path: str) -> None:
        """Warn of a path that somebody named."""
        self._warnings.append(Diagnostic(type="warning", message=message, path=path))

    def done(self) -> SkillSet:
        """What was collected: collisions stand behind all warnings."""
        return SkillSet(
            skills=tuple(self._by_name.values()),
            diagnostics=(*self._warnings, *self._collisions),
            skipped=tuple(self._skipped),
            problems=tuple(self._problems),
        )

    def _skip(self, skill: Skill, reason: SkipReason, winner: Skill) -> None:
        self._skipped.append(Skipped(path=skill.file_path, name=skill.name, reason=reason, by=winner.file_path))


def load_skills(
    files: Files,
    *,
    cwd: str,
    agent_dir: str,
    skill_paths: Sequence[str] = (),
    include_defaults: bool = True,
    home: str | None = None,
) -> SkillSet:
    """The skills of the agent folder, of the project's `.pi` and of named paths, the user's before the project's.

    This is the order of Pi's `loadSkills`; its command line has another one, see all_skills.py. Named paths are
    relative to `cwd`; all paths may begin with `~`.
    """
    collector = SkillCollector(files)
    cwd, agent_dir = resolve(cwd, home=home), resolve(agent_dir, home=home)
    user, project = user_skills_dir(agent_dir), project_skills_dir(cwd)
    if include_defaults:
        for folder, source_of in ((user, local_source("user")), (project, local_source("project"))):
            if files.kind(folder) == "dir":
                collector.add_path(folder, source_of)
    for given in skill_paths:
        try:
            path = resolve(given.strip(JS_SPACE), cwd, home=home)
        except FileUrlError as error:
            collector.warn(str(error), given)
            continue
        scope = "temporary" if include_defaults else scope_of(path, user, project)
        collector.add_path(path, local_source(scope))
    return collector.done()


def load_folder(files: Files, folder: str, source_of: SourceOf) -> SkillSet:
    """The skills of one folder, each as it stands: two of one name are both given."""
    problems: list[str] = []
    found = scan(files, os.path.normpath(folder), PI_SKILLS, problems.append)
    read = [read_skill(files, each.path, source_of(each.path)) for each in found.found]
    return SkillSet(
        skills=tuple(skill for skill, _ in read if isinstance(skill, Skill)),
        diagnostics=tuple(warning for _, warnings in read for warning in warnings),
        skipped=(
            *(skill for skill, _ in read if isinstance(skill, Skipped)),
            *(skipped_file(each.path, "ignored") for each in found.ignored),
        ),
        problems=tuple(problems),
    )


def user_skills_dir(agent_dir: str) -> str:
    """The folder of the user's skills."""
    return os.path.join(agent_dir, "skills")


def project_skills_dir(cwd: str) -> str:
    """The folder of the project's skills."""
    return os.path.join(cwd, ".pi", "skills")


def scope_of(path: str, user: str, project: str) -> Scope:
    """Whose a path is, by the two folders."""
    if is_within(user, path):
        return "user"
    return "project" if is_within(project, path) else "temporary"
