"""Prompt templates: Markdown files that the user calls by `/NAME arguments`."""

import os
import re
from collections.abc import Iterable
from contextlib import suppress

import msgspec

from pi_lsp.base.files import Files
from pi_lsp.base.paths import FileUrlError, resolve
from pi_lsp.base.text import JS_SPACE, slice_head, utf16_length
from pi_lsp.resources.frontmatter import split
from pi_lsp.resources.places import Places, find_resources
from pi_lsp.resources.resource import Skipped, Source, SourceOf, local_source, skipped_file
from pi_lsp.resources.template_arguments import parse_arguments, substitute

MAX_LINE = 60
"""UTF-16 units of the first line that serve as a description."""

_CALL = re.compile(rf"/([^{JS_SPACE}]+)(?:[{JS_SPACE}]+(.*))?", re.DOTALL)


class Template(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A template. `content` is the text behind the frontmatter; the name is that of the file without `.md`."""

    name: str
    description: str
    content: str
    file_path: str
    source: Source
    argument_hint: str | None = None


class TemplateSet(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The templates that count, in order of precedence, and why the other files do not."""

    templates: tuple[Template, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    problems: tuple[str, ...] = ()
    """What was not looked at because of a limit."""


def read_template(files: Files, path: str, source: Source) -> Template | Skipped:
    """Read one file. Broken YAML makes it no template."""
    name = os.path.basename(path).removesuffix(".md")
    try:
        front = split(files.read(path).decode(errors="replace"))
    except OSError as error:
        detail = f"the file cannot be read: {error.strerror or error}"
        return Skipped(path=path, name=name, reason="unreadable", detail=detail)
    if (problem := front.problem) is not None:
        return Skipped(path=path, name=name, reason="invalid", detail=problem.message, line=problem.line)
    description, hint = front.fields.get("description"), front.fields.get("argument-hint")
    return Template(
        name=name,
        description=description if isinstance(description, str) and description else _first_line(front.body),
        content=front.body,
        file_path=path,
        source=source,
        argument_hint=hint if isinstance(hint, str) and hint else None,
    )


class _Collector:
    """Reads one file after the other."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._templates: list[Template] = []
        self.skipped: list[Skipped] = []
        self._problems: dict[str, None] = {}

    def note(self, problem: str) -> None:
        """Note what is not looked at."""
        self._problems[problem] = None

    def add(self, path: str, source: Source) -> None:
        template = read_template(self._files, path, source)
        if isinstance(template, Skipped):
            self.skipped.append(template)
        else:
            self._templates.append(template)

    def add_path(self, path: str, source_of: SourceOf) -> None:
        """Read a file, or the files of a folder; what is neither is passed over, as Pi does."""
        kind = self._files.kind(path)
        if kind == "dir":
            for name in self._files.names(path):
                inside = os.path.join(path, name)
                if name.endswith(".md") and self._files.kind(inside) == "file":
                    self.add(inside, source_of(inside))
        elif kind == "file" and path.endswith(".md"):
            self.add(path, source_of(path))

    def everything(self) -> TemplateSet:
        """All that was read, also where two have one name."""
        return self._set(self._templates)

    def first_of_each_name(self) -> TemplateSet:
        """What counts: the first of every name."""
        by_name: dict[str, Template] = {}
        for template in self._templates:
            winner = by_name.setdefault(template.name, template)
            if winner is not template:
                self.skipped.append(
                    Skipped(path=template.file_path, name=template.name, reason="shadowed", by=winner.file_path)
                )
        return self._set(by_name.values())

    def _set(self, templates: Iterable[Template]) -> TemplateSet:
        problems = tuple(self._problems)
        return TemplateSet(templates=tuple(templates), skipped=tuple(self.skipped), problems=problems)


def load_templates(files: Files, paths: Iterable[str]) -> TemplateSet:
    """The templates of files, and of folders (but not of the folders in them), each as it stands.

    White space around a path does not count, and `~` is the home folder.
    """
    collector = _Collector(files)
    for path in paths:
        with suppress(FileUrlError):
            collector.add_path(resolve(path.strip(JS_SPACE)), local_source("temporary"))
    return collector.everything()


def find_templates(files: Files, places: Places, named: Iterable[str] = (), *, only_named: bool = False) -> TemplateSet:
    """The templates that a session has: those of all places in the order of Pi's command line, then named paths."""
    collector = _Collector(files)
    seen: set[str] = set()
    for resource in [] if only_named else find_resources(files, places, "prompts", collector.note):
        if resource.state != "enabled":
            collector.skipped.append(skipped_file(resource.file.path, resource.state))
        elif resource.file.path.endswith(".md"):
            seen.add(resource.file.real)
            collector.add(resource.file.path, resource.source)
    for given in named:
        try:
            path = resolve(given.strip(JS_SPACE), places.cwd, home=places.home)
        except FileUrlError:
            continue
        if (real := files.realpath(path)) not in seen:
            seen.add(real)
            collector.add_path(path, local_source("temporary"))
    return collector.first_of_each_name()


def expand_template(text: str, templates: Iterable[Template]) -> str:
    """Replace `/NAME arguments` by the template's text; any other text stays as it is."""
    match = _CALL.fullmatch(text)
    template = next((each for each in templates if each.name == match[1]), None) if match else None
    if match is None or template is None:
        return text
    return substitute(template.content, parse_arguments(match[2] or ""))


def _first_line(body: str) -> str:
    """The first line that is not blank, as a description."""
    line = next((line for line in body.split("\n") if line.strip(JS_SPACE)), "")
    return slice_head(line, MAX_LINE) + ("..." if utf16_length(line) > MAX_LINE else "")
