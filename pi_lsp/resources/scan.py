"""Which files of a folder are skills or prompt templates. None of them is opened here."""

import os

import msgspec

from pi_lsp.base.files import Files
from pi_lsp.resources.ignore import IgnoreRules, rules_in
from pi_lsp.resources.resource import Note

SKILL_NAME = "SKILL.md"
MAX_FOLDERS = 2000
"""Folders that one scan searches: a link may lead to the whole disk."""
MAX_REPEATS = 1000
"""Folders that are searched again because a link leads to them; links among each other could make it go on for ever."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a scan looks for.

    With `skill_folders`, a folder that has a `SKILL.md` is one skill and is not searched further. `in_root` and
    `below` say whether other Markdown files count, there; `deep` whether subfolders are searched at all.
    """

    skill_folders: bool
    in_root: bool
    below: bool
    deep: bool = True


PI_SKILLS = Wanted(skill_folders=True, in_root=True, below=False)
"""In Pi's own folders and in those of settings and arguments."""
AGENTS_SKILLS = Wanted(skill_folders=True, in_root=False, below=True)
"""In `.agents/skills`, where it is the other way round."""
TEMPLATES = Wanted(skill_folders=False, in_root=True, below=False, deep=False)
"""In Pi's own folders and in those of arguments."""
ALL_TEMPLATES = Wanted(skill_folders=False, in_root=True, below=True)
"""In the folders of settings and packages."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it was reached, and with every link resolved."""

    path: str
    real: str


class Scan(msgspec.Struct, frozen=True, kw_only=True):
    """The files of one folder in the order in which they count, and those that ignore rules hide."""

    found: tuple[Found, ...] = ()
    ignored: tuple[Found, ...] = ()


class _Pending(msgspec.Struct, frozen=True, kw_only=True):
    """A folder still to be searched, or a file in its turn. `inner` is the folder's path in the scan: "" or "a/b/"."""

    file: Found
    above: "_Pending | None" = None
    inner: str | None = None
    behind_link: bool = False
    rules: IgnoreRules | None = None

    def leads_back(self) -> bool:
        """Whether the folder is one of those above it."""
        folder = self.above
        while folder is not None:
            if folder.file.real == self.file.real:
                return True
            folder = folder.above
        return False


def scan(files: Files, root: str, wanted: Wanted, note: Note) -> Scan:
    """Find the files of one folder, as Pi 1.6.0 does; nothing where there is no folder.

    Subfolders are searched in the order of their names' bytes, through links too; dot folders and `node_modules` are
    not. Pi follows a link that leads back up until the system stops it; here it is not followed. `note` hears of what
    was passed over.
    """
    if files.kind(root) != "dir":
        return Scan()
    found: list[Found] = []
    ignored: list[Found] = []
    searched: set[str] = set()
    folders = repeats = 0
    pending = [_Pending(file=Found(path=root, real=files.realpath(root)), inner="")]
    while pending:
        item = pending.pop()
        if item.inner is None:
            found.append(item.file)
            continue
        if item.behind_link and item.file.real in searched:
            repeats += 1
            if repeats > MAX_REPEATS or item.leads_back():
                if repeats == MAX_REPEATS + 1:
                    note(f"{root}: links lead to folders again more than {MAX_REPEATS} times; no more are followed")
                continue
        folders += 1
        if folders > MAX_FOLDERS:
            note(f"{root}: it has more than {MAX_FOLDERS} folders; the others are not searched")
            break
        searched.add(item.file.real)
        pending += reversed(_search(files, item, item.inner, wanted, ignored, note))
    return Scan(found=tuple(found), ignored=tuple(ignored))


def _search(
    files: Files, folder: _Pending, inner: str, wanted: Wanted, ignored: list[Found], note: Note
) -> list[_Pending]:
    """What is to be done in a folder: its one skill, or its loose files and its subfolders, in their order."""
    names = files.names(folder.file.path)
    rules = rules_in(files, folder.file.path, names, inner, folder.rules, note)
    prefix, real_prefix = os.path.join(folder.file.path, ""), os.path.join(folder.file.real, "")
    if wanted.skill_folders and SKILL_NAME in names:
        skill = _found(files, prefix, real_prefix, SKILL_NAME)
        if files.kind(skill.path) == "file":
            if rules is None or not rules.ignores(inner + SKILL_NAME):
                return [_Pending(file=skill)]
            ignored.append(skill)
    takes_loose = wanted.in_root if inner == "" else wanted.below
    entries: list[_Pending] = []
    for name in names:
        if name.startswith(".") or name == "node_modules":
            continue
        kind = files.kind(prefix + name)
        is_folder = kind == "dir" and wanted.deep
        if not is_folder and not (kind == "file" and takes_loose and name.endswith(".md")):
            continue
        found = _found(files, prefix, real_prefix, name)
        below = f"{inner}{name}/" if is_folder else None
        if rules is not None and rules.ignores(below or inner + name):
            ignored += _hidden_skill(files, found) if wanted.skill_folders else [found]
        else:
            behind_link = folder.behind_link or found.real != real_prefix + name
            entries.append(_Pending(file=found, above=folder, inner=below, behind_link=behind_link, rules=rules))
    return entries


def _hidden_skill(files: Files, entry: Found) -> list[Found]:
    """The skill that an ignored folder is, if it is one. What lies deeper is not looked for."""
    skill = Found(path=os.path.join(entry.path, SKILL_NAME), real=os.path.join(entry.real, SKILL_NAME))
    return [skill] if files.kind(skill.path) == "file" else []


def _found(files: Files, prefix: str, real_prefix: str, name: str) -> Found:
    """An entry of a folder. Only a link needs to be resolved."""
    path = prefix + name
    return Found(path=path, real=files.realpath(path) if files.is_link(path) else real_prefix + name)
