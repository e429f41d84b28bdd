"""What can be typed behind `pi-lsp`."""

import argparse

from pi_lsp import __version__

DESCRIPTION = """\
Context engineering for coding agents: which rules apply where, what the model would see, and why it forgot.
Reads the files of the terminal agent Pi and changes none of them. Without arguments it serves an editor over LSP.
"""


def _tokens(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a number of tokens, got {text!r}")
    return int(text)


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; each command is told apart by `command`."""
    top = argparse.ArgumentParser(prog="pi-lsp", description=DESCRIPTION)
    top.add_argument("--version", action="version", version=f"pi-lsp {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", title="commands")

    def command(name: str, text: str, *, json: bool = True) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        if json:
            made.add_argument("--json", action="store_true", help="print the result object of the protocol")
        return made

    rules = command("rules", "the rule files that apply in a folder, and why others do not")
    rules.add_argument("path", nargs="?", default=".", metavar="PATH", help="a folder or a file (default: here)")

    command("skills", "the skills of this folder, and why some do not count")

    context = command("context", "what the model would see, with token counts")
    context.add_argument("path", nargs="?", metavar="PATH", help="the working directory (default: here)")
    context.add_argument("--session", metavar="FILE", help="a session file (default: the folder's newest)")
    context.add_argument("--leaf", metavar="ID", help="as seen from this entry (default: the session's leaf)")

    sessions = command("sessions", "the sessions of this folder, newest first")
    sessions.add_argument("--all", action="store_true", help="those of every folder")

    tree = command("tree", "the tree of a session: what was tried, and where it stands")
    tree.add_argument("file", metavar="FILE", help="a session file")

    compact = command("compact", "what a compaction would replace, keep and summarise")
    compact.add_argument("file", metavar="FILE", help="a session file")
    compact.add_argument("--preview", action="store_true", required=True, help="only look; nothing is written")
    compact.add_argument(
        "--keep", type=_tokens, metavar="TOKENS", help="keep so many recent tokens (default: the settings)"
    )

    explain = command("explain", "why a text does or does not reach the model")
    explain.add_argument("file", metavar="FILE", help="a session file")
    explain.add_argument("query", metavar="QUERY", help="words to look for, or the id of an entry")

    demo = command("demo", "all of it, on a sample or on your own folder, by a real server", json=False)
    demo.add_argument("workspace", nargs="?", metavar="WORKSPACE", help="your own folder; it is only read")
    demo.add_argument(
        "--editor", action="store_true", help="then open the sample in VS Code, where there is one and a desktop"
    )
    return top
