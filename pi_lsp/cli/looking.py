"""A window of this process, for one look."""

import os
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeAlias

from pi_lsp.agent.window import Start, Window
from pi_lsp.api.sessions import OpenParams, open_session
from pi_lsp.base.json import JsonObject
from pi_lsp.cli import named
from pi_lsp.cli.plain import CommandError
from pi_lsp.session.catalogue import BrokenFile, describe
from pi_lsp.session.location import agent_dir

Looking: TypeAlias = AbstractAsyncContextManager[Window]


def looking_at_folder(name: str, session: str | None = None, *, counts: bool = False) -> Looking:
    """A window on a folder, with its newest session or with the one of a file.

    `counts`: tokens are asked for, so the vocabulary is loaded first. Unlike an editor's window it takes a session
    that may be open elsewhere: it only looks.

    Raises:
        CommandError: there is no such folder, or the file is no session.
    """
    folder = named.folder(name)
    return _window((folder,), None if session is None else named.session_file(session), counts=counts)


def looking_at_session(file: str, *, counts: bool = False) -> Looking:
    """A window on a session, in the folder that it was begun in where that is still there.

    `counts` as above. Raises CommandError where the file is no session.
    """
    path = named.session_file(file)
    info = describe(path)
    if isinstance(info, BrokenFile):
        raise CommandError(info.reason if path in info.reason else f"{path}: {info.reason}")
    folders = (info.cwd,) if os.path.isabs(info.cwd) and os.path.isdir(info.cwd) else ()
    return _window(folders, path, counts=counts)


@asynccontextmanager
async def _window(folders: tuple[str, ...], session: str | None, *, counts: bool) -> AsyncGenerator[Window, None]:
    window = Window(Start(folders=folders, agent_dir=agent_dir(), session=session or "continue"), lambda _: None)
    try:
        opening = await window.begin(_no_client_settings())
        if opening.problem:
            raise CommandError(opening.problem)
        if opening.offered:
            await open_session(window, OpenParams(file=opening.offered))
        if counts:
            await window.counting.load()
        yield window
    finally:
        window.close()


async def _no_client_settings() -> JsonObject:
    return {}
