"""Where hooks come from: installed packages, the user's files, and the files of a project that the user trusts."""

import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from pi_lsp.agent.hooks import HookName, Implementation
from pi_lsp.base.files import Files

if TYPE_CHECKING:
    from pluggy import PluginManager

# pluggy leaves much untyped.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

PROJECT_FOLDER = os.path.join(".pi", "lsp")


class Problem(NamedTuple):
    """Why a plugin, or one function of it, is not used."""

    plugin: str
    error: str


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """The functions that were found, in the order in which they are asked, and what could not be used."""

    implementations: tuple[Implementation, ...]
    problems: tuple[Problem, ...]


class HookLoader:
    """Loads plugins, each once; a file anew when it has changed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._packages: list[tuple[str, object]] | None = None
        self._modules: dict[str, tuple[int, ModuleType]] = {}
        self._told: set[Problem] = set()

    def has_none(self, files: Files, folders: Iterable[str]) -> bool:
        """Whether there is certainly nothing to load, nor anything to be told of it."""
        return self._packages == [] and not self._told and not any(_paths(files, folders))

    def load(self, files: Files, folders: Iterable[str]) -> Loaded:
        """The hooks of all packages, then those of the `*.py` of the folders. Runs plugins' code: use a thread.

        A problem is told once, as long as it stays the same.
        """
        with self._lock:
            found: list[tuple[str, object]] = []
            problems: list[Problem] = []
            if self._packages is None:
                self._packages = list(_packages(problems))
            found += self._packages
            for path in _paths(files, folders):
                try:
                    found.append((path, self._module(path)))
                except BaseException as error:  # also SystemExit: a file may do anything
                    problems.append(Problem(path, f"it cannot be loaded: {type(error).__name__}: {error}"))
            implementations = list(_implementations(found, problems)) if found else []
            new = [problem for problem in problems if problem not in self._told]
            self._told = set(problems)
            return Loaded(implementations=tuple(implementations), problems=tuple(new))

    def _module(self, path: str) -> ModuleType:
        changed = os.stat(path).st_mtime_ns
        known = self._modules.get(path)
        if known and known[0] == changed:
            return known[1]
        name = f"pi_lsp_hooks_{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}"
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError("it is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # dataclasses and pickles look their module up
        try:
            spec.loader.exec_module(module)
        except BaseException:
            sys.modules.pop(name, None)
            raise
        self._modules[path] = changed, module
        return module


def folders_of_hooks(agent_dir: str, cwd: str | None, *, trusted: bool) -> list[str]:
    """The folders whose files are plugins. A project's count only where the user trusts it."""
    folders = [os.path.join(agent_dir, "lsp")]
    if cwd and trusted:
        folders.append(os.path.join(cwd, PROJECT_FOLDER))
    return folders


def _packages(problems: list[Problem]) -> Iterator[tuple[str, object]]:
    points: Iterable[EntryPoint] = entry_points(group="pi_lsp")
    for point in points:
        try:
            yield point.value, point.load()
        except BaseException as error:
            problems.append(Problem(point.value, f"it cannot be loaded: {type(error).__name__}: {error}"))


def _paths(files: Files, folders: Iterable[str]) -> Iterator[str]:
    for folder in folders:
        for name in files.names(folder):
            path = os.path.join(folder, name)
            # What is typed into a buffer is not run before it is saved.
            if name.endswith(".py") and not name.startswith("_") and os.path.isfile(path):
                yield path


def _implementations(plugins: Iterable[tuple[str, object]], problems: list[Problem]) -> Iterator[Implementation]:
    """Their functions, as pluggy finds and orders them."""
    manager = _manager()
    for name, plugin in plugins:
        try:
            manager.register(plugin, name)
        except Exception as error:  # a function with parameters that its hook does not have
            manager.unregister(name=name)
            problems.append(Problem(name, str(error)))
    for name in _names(manager):
        # pluggy asks what was registered last first; here the first plugin is the first to be asked.
        for one in getattr(manager.hook, name).get_hookimpls():
            if one.hookwrapper or one.wrapper:
                problems.append(Problem(one.plugin_name, f"{name} is a wrapper, which is not supported"))
                continue
            yield Implementation(
                plugin=one.plugin_name,
                name=cast("HookName", name),
                function=one.function,
                parameters=(*one.argnames, *one.kwargnames),
            )


def _manager() -> "PluginManager":
    import pluggy  # noqa: PLC0415  only who has plugins pays for it

    from pi_lsp.agent.hook_specs import PROJECT, Specs  # noqa: PLC0415  likewise

    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Specs)
    return manager


def _names(manager: "PluginManager") -> Iterator[str]:
    hooks: dict[str, Any] = vars(manager.hook)
    return (name for name in hooks if not name.startswith("_"))
