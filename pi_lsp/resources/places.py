"""All places where skills and prompt templates are found, in the order of Pi's command line.

1. paths in the project's settings, 2. `.pi` of the working directory, then (skills) `.agents/skills` there and in every
folder above up to the git root, 3. paths in the user's settings, 4. the agent folder, then `~/.agents/skills`,
5. packages. So the project wins over the user where two have one name. Paths of arguments come last; they are the
business of all_skills.py and all_templates.py.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from pi_lsp.base.files import Files
from pi_lsp.base.json import JsonObject, as_list
from pi_lsp.base.paths import FileUrlError, home_dir, resolve
from pi_lsp.base.text import JS_SPACE
from pi_lsp.resources.packages import files_of, find_packages, package_files
from pi_lsp.resources.patterns import is_glob, is_signed, parse_patterns
from pi_lsp.resources.resource import Note, Scope, Source
from pi_lsp.resources.scan import AGENTS_SKILLS, ALL_TEMPLATES, PI_SKILLS, TEMPLATES, Found, Wanted, scan

ResourceKind: TypeAlias = Literal["skills", "prompts"]
State: TypeAlias = Literal["enabled", "excluded", "ignored", "untrusted"]


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """Where to look, and what the settings say.

    Paths are absolute. The settings are the two files' own objects, after migration.
    """

    cwd: str
    agent_dir: str
    home: str = msgspec.field(default_factory=home_dir)
    trusted: bool = True
    user_settings: JsonObject = {}
    project_settings: JsonObject = {}

    @property
    def pi_dir(self) -> str:
        """The project's folder for Pi."""
        return os.path.join(self.cwd, ".pi")


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was found, and whether it counts."""

    file: Found
    source: Source
    state: State = "enabled"


class _Folder(msgspec.Struct, frozen=True):
    """A folder that a convention names; patterns of the settings are relative to `base`."""

    path: str
    base: str
    wanted: Wanted


_IN_OWN_FOLDER: Mapping[ResourceKind, Wanted] = {"skills": PI_SKILLS, "prompts": TEMPLATES}
_IN_NAMED_FOLDER: Mapping[ResourceKind, Wanted] = {"skills": PI_SKILLS, "prompts": ALL_TEMPLATES}

_RANKS = ("project settings", "project", "user settings", "user", "package", "not counted")


def find_resources(files: Files, places: Places, kind: ResourceKind, note: Note) -> list[Resource]:
    """Every file of the places in its order, each once, with those that do not count.

    A file that two places offer keeps the place that Pi asks first (packages, settings, conventions), and its rank.
    `note` hears of what was not looked at.
    """
    by_path: dict[str, tuple[int, Resource]] = {}
    for rank, resource in _offers(files, places, kind, note):
        by_path.setdefault(resource.file.path, (_RANKS.index(rank), resource))
    by_file: dict[str, Resource] = {}
    for _, resource in sorted(by_path.values(), key=lambda offer: offer[0]):
        by_file.setdefault(resource.file.real, resource)
    return list(by_file.values())


def _offers(files: Files, places: Places, kind: ResourceKind, note: Note) -> Iterator[tuple[str, Resource]]:
    user = places.user_settings
    project = places.project_settings if places.trusted else {}
    for package in find_packages(
        files, user, project, agent_dir=places.agent_dir, pi_dir=places.pi_dir, home=places.home
    ):
        for found, allowed in package_files(files, package, kind, _IN_NAMED_FOLDER[kind], note):
            source = Source(
                path=found.path, source=package.source, scope=package.scope, origin="package", base_dir=package.root
            )
            yield "package", Resource(file=found, source=source, state="enabled" if allowed else "excluded")
    yield from _of_settings(files, places, kind, _entries(project, kind), "project", note)
    yield from _of_settings(files, places, kind, _entries(user, kind), "user", note)
    for folder in _project_folders(files, places, kind):
        yield from _of_folder(files, folder, _entries(project, kind), "project", note, trusted=places.trusted)
    for folder in _user_folders(places, kind):
        yield from _of_folder(files, folder, _entries(user, kind), "user", note)


def _entries(settings: JsonObject, kind: ResourceKind) -> list[str]:
    return [entry for entry in as_list(settings.get(kind)) if isinstance(entry, str)]


def _of_settings(
    files: Files, places: Places, kind: ResourceKind, entries: Sequence[str], scope: Scope, note: Note
) -> Iterator[tuple[str, Resource]]:
    """What the paths of a list lead to, less what the patterns of the same list take away."""
    base = places.pi_dir if scope == "project" else places.agent_dir
    patterns = parse_patterns(entry for entry in entries if is_signed(entry) or is_glob(entry))
    paths: list[str] = []
    for entry in entries:
        if not is_signed(entry) and not is_glob(entry):
            try:
                paths.append(resolve(entry.strip(JS_SPACE), base, home=places.home))
            except FileUrlError:
                continue
    for found in files_of(files, paths, _IN_NAMED_FOLDER[kind], note):
        source = Source(path=found.path, source="local", scope=scope, origin="top-level")
        state = "enabled" if patterns.allow(found.path, base) else "excluded"
        yield f"{scope} settings", Resource(file=found, source=source, state=state)


def _of_folder(
    files: Files, folder: _Folder, entries: Sequence[str], scope: Scope, note: Note, *, trusted: bool = True
) -> Iterator[tuple[str, Resource]]:
    """What a convention finds, less what the signed patterns of the settings take away."""
    patterns = parse_patterns(filter(is_signed, entries))

    def resource(found: Found, state: State) -> Resource:
        source = Source(path=found.path, source="auto", scope=scope, origin="top-level", base_dir=folder.base)
        return Resource(file=found, source=source, state=state)

    seen = scan(files, folder.path, folder.wanted, note)
    for found in seen.found:
        if trusted:
            state = "enabled" if patterns.allow(found.path, folder.base) else "excluded"
            yield scope, resource(found, state)
        else:
            yield "not counted", resource(found, "untrusted")
    for found in seen.ignored:
        yield "not counted", resource(found, "ignored")


def _project_folders(files: Files, places: Places, kind: ResourceKind) -> Iterator[_Folder]:
    yield _Folder(os.path.join(places.pi_dir, kind), places.pi_dir, _IN_OWN_FOLDER[kind])
    if kind == "skills":
        for path in agents_folders(files, places.cwd, places.home):
            yield _Folder(path, os.path.dirname(path), AGENTS_SKILLS)


def _user_folders(places: Places, kind: ResourceKind) -> Iterator[_Folder]:
    yield _Folder(os.path.join(places.agent_dir, kind), places.agent_dir, _IN_OWN_FOLDER[kind])
    if kind == "skills":
        base = os.path.join(places.home, ".agents")
        yield _Folder(os.path.join(base, "skills"), base, AGENTS_SKILLS)


def agents_folders(files: Files, cwd: str, home: str) -> list[str]:
    """`.agents/skills` of the working directory and of the folders above, up to the git root; never the user's own."""
    folders: list[str] = []
    folder = cwd
    while True:
        folders.append(os.path.join(folder, ".agents", "skills"))
        parent = os.path.dirname(folder)
        if parent == folder or files.kind(os.path.join(folder, ".git")) is not None:
            break
        folder = parent
    own = os.path.join(home, ".agents", "skills")
    return [path for path in folders if path != own]
