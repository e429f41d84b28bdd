"""The files of which the system prompt is made: SYSTEM.md, APPEND_SYSTEM.md and the rule files.

As Pi 1.6.0 does: the project's `.pi/SYSTEM.md` (of a trusted project only) goes before the agent folder's, and a text
given by the user before both; APPEND_SYSTEM.md likewise. A given text that names an existing file stands for that
file's content.
"""

import os
from collections.abc import Sequence

import msgspec

from pi_lsp.base.files import Files
from pi_lsp.base.paths import resolve
from pi_lsp.resources.rule_text import decode_rule
from pi_lsp.resources.rules import ContextFile, Loaded, load


class PromptFiles(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What was found; sources are the paths of those texts that came from files.

    `system_prompt` is None where there is none; an empty one was found, but the default prompt takes its place.
    """

    system_prompt: str | None
    system_prompt_source: str | None
    append: tuple[str, ...]
    append_sources: tuple[str, ...]
    context_files: tuple[ContextFile, ...]
    warnings: tuple[str, ...]


class _Text(msgspec.Struct, frozen=True):
    text: str
    source: str | None = None
    warning: str | None = None


def load_prompt_files(
    files: Files,
    cwd: str,
    agent_dir: str,
    *,
    trusted: bool,
    system_prompt: str | None = None,
    append_system_prompt: Sequence[str] | None = None,
    context_files: bool = True,
) -> PromptFiles:
    """Find and read the files for an agent started in `cwd`.

    `system_prompt` and `append_system_prompt` are the user's own, as texts or paths (relative ones from `cwd`); where
    they are None the files are looked for. Without `context_files` no rule file is read.
    """
    cwd, agent_dir = resolve(cwd), resolve(agent_dir)
    folders = [os.path.join(cwd, ".pi"), agent_dir] if trusted else [agent_dir]
    prompts = _discover(files, folders, "SYSTEM.md") if system_prompt is None else [system_prompt]
    appends = _discover(files, folders, "APPEND_SYSTEM.md") if append_system_prompt is None else append_system_prompt
    prompt = next((_read(files, given, cwd) for given in prompts if given), None)
    append = [_read(files, given, cwd) for given in appends if given]
    rules = load(files, cwd, agent_dir) if context_files else Loaded(files=(), warnings=())
    warnings = (text.warning for text in ([prompt] if prompt else []) + append)
    return PromptFiles(
        system_prompt=prompt.text if prompt else None,
        system_prompt_source=prompt.source if prompt else None,
        append=tuple(text.text for text in append),
        append_sources=tuple(text.source for text in append if text.source is not None),
        context_files=rules.files,
        warnings=(*filter(None, warnings), *rules.warnings),
    )


def _discover(files: Files, folders: Sequence[str], name: str) -> list[str]:
    """The path of the first file of that name, as a list of one or none."""
    paths = (os.path.join(folder, name) for folder in folders)
    return [path for path in paths if files.kind(path)][:1]


def _read(files: Files, given: str, cwd: str) -> _Text:
    """The content of the file that the text names, or the text itself, as Pi takes it where the file is unreadable."""
    path = os.path.normpath(os.path.join(cwd, given))
    kind = files.kind(os.path.join(cwd, given))  # `file/` is none
    if kind is None:
        return _Text(given)
    if kind != "file":
        return _Text(given, path, f"{path} is not a file; its path itself went into the system prompt")
    try:
        return _Text(decode_rule(files.read(path)).content, path)
    except OSError as error:
        return _Text(given, path, f"Could not read {path}: {error.strerror or error}")
