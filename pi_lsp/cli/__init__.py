"""The command line; without arguments it serves on standard input and output.

Importing it costs nothing: a server does not pay for the commands, nor they for the server.
"""

import sys


def main() -> int:
    """Run the command that the arguments name; gives the exit code."""
    if sys.argv[1:] in ([], ["--stdio"]):  # some clients name the transport
        if sys.stdin is None or sys.stdout is None:
            print("pi-lsp: standard input and output are closed; an editor talks through them", file=sys.stderr)
            return 1
        if sys.stdin.isatty():
            print(
                "pi-lsp serves an editor on standard input and output; `pi-lsp --help` shows the rest.", file=sys.stderr
            )
        from pi_lsp.lsp.server import serve  # noqa: PLC0415  see above

        return serve()
    from pi_lsp.cli.run import run  # noqa: PLC0415  see above

    return run(sys.argv[1:])
