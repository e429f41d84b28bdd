"""The folders of a window and what stands in them for an agent, always read anew through the open buffers.

Nothing that can be read quickly is remembered, so what is saved or typed is in the next answer whether or not a
watcher noticed it. Only the places of rule and skill files below the folders are kept, in an index.
"""

import os
import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TypeAlias

import msgspec

from pi_lsp.agent.events import ResourcesChanged
from pi_lsp.agent.hook_loading import PROJECT_FOLDER
from pi_lsp.agent.touched import NOTHING, is_among_skills, kinds_of
from pi_lsp.base.files import Disk, Files, Overlay
from pi_lsp.base.json import JsonObject
from pi_lsp.base.paths import home_dir
from pi_lsp.resources import rules, settings_files, trust
from pi_lsp.resources.all_skills import find_skills
from pi_lsp.resources.index import Index
from pi_lsp.resources.index_scan import Finds, scan
from pi_lsp.resources.places import Places
from pi_lsp.resources.settings import TRUSTED_ONLY, Settings, effective
from pi_lsp.resources.skills import SkillSet
from pi_lsp.resources.system_files import PromptFiles, load_prompt_files
from pi_lsp.resources.templates import TemplateSet, find_templates

QUICK_WALK_S = 0.05
"""A walk of the workspace folders that took no longer (of processor time) is simply done again."""


_Given: TypeAlias = tuple[settings_files.SettingsFiles, JsonObject, JsonObject, bool]
"""What settings are made of: the files, what the client sent, and whether the user vouches for the folder."""


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """Whether what a working directory brings along may be used, and what there is to say about it."""

    trusted: bool
    by_user: bool = False
    """Whether the user has said so; a folder that brings nothing along is trusted without."""
    problem: str | None = None
    """Why the user's saved decisions could not be read."""


class Workspace:
    """What is on disk and in buffers. `cwd` is given with each question: a window may change its own."""

    def __init__(self, folders: Iterable[str], agent_dir: str, *, trust_override: bool | None = None) -> None:
        self.folders = list(folders)
        self.agent_dir = agent_dir
        self.buffers: dict[str, str] = {}
        """The texts of open buffers by path."""
        self.files: Files = Overlay(Disk(), self.buffers)
        self.trust_override = trust_override
        """What the client said, at the start or by `pi/trust/set`; None where it said nothing."""
        self.initialization: JsonObject = {}
        self.client_settings: JsonObject = {}
        self._index = Index(self.files)
        self._index_begun = False
        self._walk_s = 0.0
        self._settings: tuple[_Given, Settings] | None = None

    def trust(self, cwd: str) -> Trust:
        """Whether the working directory is trusted. Who was not asked has not agreed."""
        try:
            entry = trust.lookup(cwd, self.agent_dir, self.files)
        except trust.TrustStoreError as error:
            return Trust(trusted=bool(self.trust_override), by_user=bool(self.trust_override), problem=str(error))
        needed = trust.requires(cwd, self.files) or self.files.kind(os.path.join(cwd, PROJECT_FOLDER)) is not None
        in_doubt = needed or not TRUSTED_ONLY.isdisjoint({*self.initialization, *self.client_settings})
        decide = partial(
            trust.decide,
            saved=entry.decision if entry else None,
            override=self.trust_override,
            default=self._user_settings(cwd).default_project_trust if in_doubt else "ask",
        )
        return Trust(trusted=bool(decide(needed=needed)), by_user=bool(decide(needed=True)))

    def settings(self, cwd: str, *, trusted: bool, by_user: bool = False) -> Settings:
        """The settings in force in a working directory; `trusted` and `by_user` as its `Trust` says."""
        files = settings_files.load(self.files, cwd, self.agent_dir, trusted=trusted)
        given: _Given = files, self.initialization, self.client_settings, by_user
        known = self._settings
        if known is None or known[0] != given:
            known = self._settings = given, effective(*given[:3], vouched=by_user)
        return known[1]

    def chain(self, directory: str) -> list[rules.RuleFile]:
        """Every rule file that an agent started in `directory` looks at, loaded or not, in reading order."""
        return rules.chain(self.files, directory, self.agent_dir)

    def survey(self, cwd: str) -> list[rules.RuleFile]:
        """Every rule file in and above the workspace folders, as seen from `cwd`. Needs the index."""
        return rules.survey(self.files, cwd, self.agent_dir, self._index.rule_folders())

    def skills(self, cwd: str, *, trusted: bool) -> SkillSet:
        """The skills of a working directory, in order of precedence, and those that do not count."""
        return find_skills(self.files, self._places(cwd, trusted=trusted))

    def templates(self, cwd: str, *, trusted: bool) -> TemplateSet:
        """The prompt templates of a working directory, in order of precedence."""
        return find_templates(self.files, self._places(cwd, trusted=trusted))

    def prompt_files(self, cwd: str, *, trusted: bool) -> PromptFiles:
        """SYSTEM.md and APPEND_SYSTEM.md."""
        return load_prompt_files(self.files, cwd, self.agent_dir, trusted=trusted)

    # --- what changes -------------------------------------------------------------------------------------------

    def set_buffer(self, path: str, text: str) -> ResourcesChanged:
        """A document was opened or changed in the editor; gives what that may have changed."""
        is_new = path not in self.buffers
        self.buffers[path] = text
        return self.changed([path]) if is_new else kinds_of(path, self.agent_dir)

    def close_buffer(self, path: str) -> ResourcesChanged:
        """A document was closed; the disk counts again. Gives what that may have changed."""
        return NOTHING if self.buffers.pop(path, None) is None else self.changed([path])

    def changed(self, paths: Iterable[str]) -> ResourcesChanged:
        """Look again at paths that were made, changed or deleted, and give what that may have changed."""
        kinds = NOTHING
        for path in paths:
            if self.files.kind(path) == "dir":
                kinds |= self._changed_folder(path)
            else:
                self._refresh(path)
                kinds |= kinds_of(path, self.agent_dir)
        return kinds

    def set_folders(self, folders: Iterable[str]) -> None:
        """Workspace folders came or went."""
        self.folders = list(dict.fromkeys(folders))
        if self._index_begun:
            self._index.begin(self.folders)

    def _changed_folder(self, path: str) -> ResourcesChanged:
        """A folder that came brings what is in it."""
        before = self._index.rule_folders(), self._index.skill_files()
        self._refresh(path)
        after = self._index.rule_folders(), self._index.skill_files()
        skills = before[1] != after[1] or is_among_skills(path)
        return ResourcesChanged(rules=before[0] != after[0], skills=skills, settings=False)

    def _refresh(self, path: str) -> None:
        if self._index_begun:
            self._index.refresh(path)

    # --- the index ----------------------------------------------------------------------------------------------

    @property
    def is_indexed(self) -> bool:
        """Whether the index can be relied on: the folders were walked, and doing so again would take long.

        Otherwise they are walked for each answer, so that a new file is in it even where no watcher saw it come.
        """
        return self._index.walked and self._walk_s > QUICK_WALK_S

    @property
    def index_problems(self) -> tuple[str, ...]:
        """What is missing in the index because of a limit, in words."""
        return self._index.problems

    @property
    def rule_folders(self) -> list[str]:
        """The folders known to have rule files, and all above the workspace folders."""
        return self._index.rule_folders()

    def begin_index(self) -> Sequence[str]:
        """Prepare a walk of the folders; gives the roots for `walk`."""
        self._index.begin(self.folders)
        self._index_begun = True
        return self._index.roots

    def walk(self, roots: Sequence[str]) -> Finds:
        """Walk the folders. May run in a thread: nothing here depends on it until `adopt_index`."""
        begun = time.thread_time()
        finds = scan(self.files, tuple(roots))
        self._walk_s = time.thread_time() - begun
        return finds

    def adopt_index(self, finds: Finds) -> None:
        """Take over what a walk found."""
        self._index.adopt(finds)

    def _places(self, cwd: str, *, trusted: bool) -> Places:
        files = settings_files.load(self.files, cwd, self.agent_dir, trusted=trusted)
        return Places(
            cwd=cwd,
            agent_dir=self.agent_dir,
            home=home_dir(),
            trusted=trusted,
            user_settings=files.user.values,
            project_settings=files.project.values,
        )

    def _user_settings(self, cwd: str) -> Settings:
        return effective(settings_files.load(self.files, cwd, self.agent_dir, trusted=False))
