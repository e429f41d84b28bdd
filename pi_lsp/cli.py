"""The command line; without arguments it serves on standard input and output."""

import sys


def main() -> int:
    """Run the command that the arguments name."""
    if len(sys.argv) == 1:
        from pi_lsp.lsp.server import serve  # noqa: PLC0415  a command line does not pay for the server

        return serve()
    raise SystemExit("not yet")
