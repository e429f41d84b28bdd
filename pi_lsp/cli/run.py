"""Run one command: its result or a clear error, and the exit code.

0: done; 1: it cannot be done, with one line that says why; 2: the command line was wrong (argparse).
"""

import argparse
import asyncio
import json
import os
import sys

import msgspec

from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.base.json import to_utf8
from pi_lsp.base.memory import collect_rarely
from pi_lsp.base.wire import Wire
from pi_lsp.cli.arguments import parser
from pi_lsp.cli.plain import CommandError, clean
from pi_lsp.session.errors import SessionError


def run(arguments: list[str]) -> int:
    """Parse and run. A reader that goes away (`| head`) is no failure; Ctrl-C is 130, as in a shell."""
    collect_rarely()
    if sys.stdout is None:
        return _fail("standard output is closed; there is nowhere to print to")
    try:
        try:
            args = parser().parse_args(arguments)
            return _demo(args.workspace, editor=args.editor) if args.command == "demo" else _command(args)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains at its end
        return 0
    except KeyboardInterrupt:
        return 130
    except (CommandError, RefusedError, ParamsError, SessionError) as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except Exception as error:
        return _fail(f"this should not happen, please report it: {type(error).__name__}: {error}")


def _command(args: argparse.Namespace) -> int:
    from pi_lsp.cli.commands import COMMANDS  # noqa: PLC0415  `--help` does not pay for the engine

    answer = asyncio.run(COMMANDS[args.command](args))
    for warning in answer.warnings:
        _say(f"warning: {warning}")
    if args.json:
        sys.stdout.buffer.write(_encode(answer.result) + b"\n")
        return 0
    from pi_lsp.cli.show import show  # noqa: PLC0415  rich: JSON does not pay for it
    from pi_lsp.cli.show.screen import Screen  # noqa: PLC0415  likewise

    show(Screen(answer.base), answer.result, getattr(args, "query", ""))
    return 0


def _encode(result: Wire) -> bytes:
    """The result as it would go over the wire."""
    try:
        return msgspec.json.encode(result)
    except UnicodeEncodeError:  # a lone surrogate: other programs' JSON readers refuse the escape
        return to_utf8(json.dumps(msgspec.to_builtins(result), ensure_ascii=False))


def _demo(workspace: str | None, *, editor: bool) -> int:
    from pi_lsp.cli.demo import demo  # noqa: PLC0415  rich and the client of LSP are for this alone

    code = asyncio.run(demo(workspace))
    if editor and code == 0 and workspace is None:
        from pi_lsp.cli.editor import CHECKOUT, go_on  # noqa: PLC0415  likewise
        from pi_lsp.cli.editor_choice import choose, find, is_attended  # noqa: PLC0415
        from pi_lsp.cli.show.screen import Screen  # noqa: PLC0415

        go_on(Screen(os.getcwd()), choose(find(CHECKOUT), os.environ, attended=is_attended()))
    return code


def _fail(message: str) -> int:
    _say(message)
    return 1


def _say(message: str) -> None:
    """One line on standard error, whatever the message holds (Python escapes what the terminal cannot show)."""
    if sys.stderr is not None:  # closed: `print` would take standard output instead
        print(clean(" ".join(f"pi-lsp: {message}".split())), file=sys.stderr)
