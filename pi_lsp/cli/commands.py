"""What each command asks of the engine: the same functions that answer an editor, over a window of this process."""

import argparse
import os
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from sys import maxsize
from typing import Any, NamedTuple, TypeAlias

from pi_lsp.agent.window import Window
from pi_lsp.api import compact, context, explain, rules, sessions, skills, tree
from pi_lsp.api.errors import Reason, RefusedError
from pi_lsp.base.wire import Wire
from pi_lsp.cli import named
from pi_lsp.cli.looking import looking_at_folder, looking_at_session
from pi_lsp.cli.plain import CommandError


class Answer(NamedTuple):
    """A result, the folder that paths are shown from, and what the person should know beside it."""

    result: Wire
    base: str
    warnings: list[str]


Command: TypeAlias = Callable[[argparse.Namespace], Coroutine[Any, Any, Answer]]


async def _rules(args: argparse.Namespace) -> Answer:
    async with looking_at_folder(named.folder_of(args.path), counts=True) as window:
        return _answer(window, await rules.rules(window, rules.RulesParams()), base=os.getcwd())


async def _skills(_args: argparse.Namespace) -> Answer:
    async with looking_at_folder(os.getcwd(), counts=True) as window:
        return _answer(window, await skills.skills(window, None))


async def _context(args: argparse.Namespace) -> Answer:
    if args.session is not None and args.path is None:
        place = looking_at_session(args.session, counts=True)
    else:
        place = looking_at_folder("." if args.path is None else args.path, args.session, counts=True)
    async with place as window:
        params = context.ContextParams() if args.leaf is None else context.ContextParams(leaf_id=args.leaf)
        with _hint("notFound", "`pi-lsp tree FILE --json` has the ids"):
            return _answer(window, await context.context(window, params))


async def _sessions(args: argparse.Namespace) -> Answer:
    async with looking_at_folder(os.getcwd()) as window:
        return _answer(window, await sessions.list_sessions(window, sessions.ListParams(all=args.all, limit=maxsize)))


async def _tree(args: argparse.Namespace) -> Answer:
    async with looking_at_session(args.file) as window:
        return _answer(window, await tree.tree(window, tree.TreeParams(limit=maxsize)))


async def _compact(args: argparse.Namespace) -> Answer:
    async with looking_at_session(args.file, counts=True) as window:
        params = compact.PreviewParams(keep_recent_tokens=args.keep)
        with _hint("nothingToCompact", "keep fewer by --keep TOKENS"):
            return _answer(window, await compact.preview(window, params))


async def _explain(args: argparse.Namespace) -> Answer:
    async with looking_at_session(args.file) as window:
        is_entry = await window.in_session(lambda conversation: args.query in conversation.session.tree)
        params = explain.ExplainParams(entry_id=args.query) if is_entry else explain.ExplainParams(query=args.query)
        return _answer(window, await explain.explain(window, params))


COMMANDS: Mapping[str, Command] = {
    "rules": _rules,
    "skills": _skills,
    "context": _context,
    "sessions": _sessions,
    "tree": _tree,
    "compact": _compact,
    "explain": _explain,
}


@contextmanager
def _hint(reason: Reason, hint: str) -> Generator[None, None, None]:
    """Say what to do on this command line behind what the engine refuses."""
    try:
        yield
    except RefusedError as error:
        raise CommandError(f"{error}; {hint}") if error.reason == reason else error from None


def _answer(window: Window, result: Wire, base: str | None = None) -> Answer:
    return Answer(result, base or window.place, window.now().problems)
