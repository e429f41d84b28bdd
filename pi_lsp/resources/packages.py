"""Packages that the settings name, as far as files can tell: nothing is installed or asked of a network.

A package is a folder with skills and templates: one of npm or git that Pi has installed into the agent folder or the
project's `.pi`, or a local one. Its `package.json` may say under `pi` where they are.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from pi_lsp.base.files import Files
from pi_lsp.base.json import Json, JsonError, JsonObject, as_list, as_object, as_str, decode
from pi_lsp.base.paths import FileUrlError, is_within, path_key, resolve
from pi_lsp.base.text import JS_SPACE
from pi_lsp.resources.glob import matches
from pi_lsp.resources.patterns import is_glob, is_signed, last_word, parse_patterns
from pi_lsp.resources.resource import Note, Scope
from pi_lsp.resources.scan import Found, Wanted, scan

_RESOURCES = ("extensions", "skills", "prompts", "themes")
_NPM_NAME = re.compile(r"(@?[^@]+)(?:@.+)?")
_GIT_SOURCE = re.compile(
    r"""(?: git:(?!//)\s* | (?=(?:https?|ssh)://) )
    (?: (?P<short>github|gitlab|bitbucket):
    |   (?:[a-z]+://)? (?:[^@/]*@)? (?P<host>[^/:@]*\.[^/:@]*|localhost|(?<=@)[^/:@]+) (?::\d+(?=/))? [/:]
    )?
    (?P<path>[^/@\#?:]+/[^@\#?:]+?) (?:\.git)? /? (?:[@\#].*)?""",
    re.VERBOSE | re.IGNORECASE,
)
_SHORT_HOSTS = {"github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org"}


class Package(msgspec.Struct, frozen=True, kw_only=True):
    """A package that is there. `filter` is the settings' own object about it, where it is one."""

    source: str
    scope: Scope
    root: str
    filter: JsonObject | None = None


def find_packages(
    files: Files, user: JsonObject, project: JsonObject, *, agent_dir: str, pi_dir: str, home: str | None = None
) -> list[Package]:
    """The packages of both settings that are installed, the project's first.

    One that both name counts as the project's. With `autoload: false` the project's entry only changes what the
    user's one offers, so both are given, and the root is the user's.
    """
    users = _entries(user, "user", agent_dir, home)
    projects = _entries(project, "project", pi_dir, home)
    packages = [
        msgspec.structs.replace(package, root=users[key].root) if key in users and is_change(package) else package
        for key, package in projects.items()
    ]
    packages += [package for key, package in users.items() if key not in projects or is_change(projects[key])]
    return [package for package in packages if files.kind(package.root) == "dir"]


def is_change(package: Package) -> bool:
    """Whether the settings' entry only changes what another entry of the package offers."""
    return package.filter is not None and package.filter.get("autoload") is False


def package_files(
    files: Files, package: Package, kind: Literal["skills", "prompts"], wanted: Wanted, note: Note
) -> Iterator[tuple[Found, bool]]:
    """The skills or templates of a package, and whether the patterns of the settings leave each in."""
    manifest = _manifest(files, package.root)
    listed = _strings(manifest.get(kind))
    chosen = package.filter.get(kind) if package.filter is not None else None
    if package.filter is None or (chosen is None and not is_change(package)):
        if listed is not None:
            yield from ((found, True) for found in _listed(files, package.root, listed, wanted, note))
        elif package.filter is not None or not any(_strings(manifest.get(name)) is not None for name in _RESOURCES):
            yield from ((found, True) for found in scan(files, os.path.join(package.root, kind), wanted, note).found)
        return
    if listed:
        offered: Sequence[Found] = _listed(files, package.root, listed, wanted, note)
    else:
        offered = scan(files, os.path.join(package.root, kind), wanted, note).found
    entries = _strings(chosen) or []
    if not is_change(package):
        patterns = parse_patterns(entries)
        yield from ((found, bool(entries) and patterns.allow(found.path, package.root)) for found in offered)
        return
    for found in offered:
        verdict = last_word(entries, found.path, package.root)
        if verdict is not None:
            yield found, verdict


def _entries(settings: JsonObject, scope: Scope, base: str, home: str | None) -> dict[str, Package]:
    """The packages of one settings file by what identifies them, wherever they are written from."""
    packages: dict[str, Package] = {}
    for value in as_list(settings.get("packages")):
        source = as_str(as_object(value).get("source")) if isinstance(value, dict) else as_str(value)
        place = _place(source, base, home)
        if place is not None and (scope == "project" or place[0] not in packages):
            chosen = value if isinstance(value, dict) else None
            packages[place[0]] = Package(source=source, scope=scope, root=place[1], filter=chosen)
    return packages


def _place(source: str, base: str, home: str | None) -> tuple[str, str] | None:
    """What identifies a package, and where it is; None for what is no source."""
    text = source.strip(JS_SPACE)
    if text.startswith("npm:"):
        match = _NPM_NAME.fullmatch(text[4:].strip(JS_SPACE))
        return _installed("npm", match[1], os.path.join(base, "npm", "node_modules")) if match else None
    if (match := _GIT_SOURCE.fullmatch(text)) is not None:
        host = _SHORT_HOSTS.get(match["short"] or "") or match["host"] or "github.com"
        return _installed("git", f"{host}/{match['path']}", os.path.join(base, "git"))
    try:
        root = resolve(text, base, home=home) if text else None
    except FileUrlError:
        return None
    return (f"local:{path_key(root)}", root) if root else None


def _installed(kind: str, name: str, folder: str) -> tuple[str, str] | None:
    """The place of a package in a folder of installed ones, which its name must not lead out of."""
    root = os.path.normpath(os.path.join(folder, name))
    return (f"{kind}:{name}", root) if root != folder and is_within(folder, root) and "\0" not in name else None


def _manifest(files: Files, root: str) -> JsonObject:
    """What the `package.json` of a package says under `pi`; nothing where it cannot be read."""
    path = os.path.join(root, "package.json")
    if files.kind(path) != "file":
        return {}
    try:
        return as_object(as_object(decode(files.read(path).removeprefix(b"\xef\xbb\xbf"))).get("pi"))
    except (OSError, JsonError):
        return {}


def _strings(value: Json) -> list[str] | None:
    """A list of strings; None where it is anything else."""
    strings = [item for item in as_list(value) if isinstance(item, str)]
    return strings if isinstance(value, list) and len(strings) == len(value) else None


def _listed(files: Files, root: str, entries: Sequence[str], wanted: Wanted, note: Note) -> list[Found]:
    """The files of a manifest's list: its paths and globs first, then its signed patterns."""
    paths = [path for entry in entries if not is_signed(entry) for path in _expand(files, root, entry)]
    patterns = parse_patterns(filter(is_signed, entries))
    return [found for found in files_of(files, paths, wanted, note) if patterns.allow(found.path, root)]


def files_of(files: Files, paths: Iterable[str], wanted: Wanted, note: Note) -> Iterator[Found]:
    """The paths that are files, and what is found in those that are folders."""
    for path in paths:
        match files.kind(path):
            case "file":
                yield Found(path=path, real=files.realpath(path))
            case "dir":
                yield from scan(files, path, wanted, note).found
            case _:
                pass


def _expand(files: Files, root: str, entry: str) -> list[str]:
    """The paths that an entry of a manifest means; globs find nothing that is hidden."""
    if not is_glob(entry):
        return [os.path.normpath(os.path.join(root, entry))]
    paths = [root]
    parts = [part for part in entry.split("/") if part not in ("", ".")]
    for number, part in enumerate(parts, 1):
        if part == "**":
            paths = [below for path in paths for below in _below(files, path, with_files=number == len(parts))]
        elif is_glob(part):
            paths = [
                os.path.join(path, name)
                for path in paths
                for name in files.names(path)
                if not name.startswith(".") and matches(name, part)
            ]
        else:
            paths = [os.path.normpath(os.path.join(path, part)) for path in paths]
    return sorted({path for path in paths if files.kind(path) is not None})


def _below(files: Files, root: str, *, with_files: bool) -> list[str]:
    """A folder and all folders below it that are neither hidden nor links, perhaps with their files."""
    found: list[str] = []
    folders = [root]
    while folders:
        folder = folders.pop()
        found.append(folder)
        for name in files.names(folder):
            path = os.path.join(folder, name)
            if name.startswith("."):
                continue
            if files.kind(path) == "dir" and not files.is_link(path):
                folders.append(path)
            elif with_files:
                found.append(path)
    return found
