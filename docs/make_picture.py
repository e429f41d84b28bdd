"""Write `docs/run.svg`, the picture in the README: some parts of `make run`, as they really come out.

.venv/bin/python docs/make_picture.py
"""

import asyncio
import io
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

from pi_lsp.cli.demo import COMMAND, PARTS, play
from pi_lsp.cli.demo_parts import Talk
from pi_lsp.cli.show.screen import Screen
from pi_lsp.cli.stage import sample_stage
from pi_lsp.lsp.client import Client

PICTURE = Path(__file__).with_name("run.svg")
SHOWN = (1, 4, 6, 10)
"""The numbers of the parts in the picture: the hover, the tree, why it forgot, another branch. None asks a model."""
WIDTH = 96
FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""Fonts from elsewhere: a README may not load them."""


async def picture() -> str:
    """Play the parts, and give what the terminal showed as SVG."""
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, markup=False, emoji=False, highlight=False
    )
    with sample_stage() as stage:
        async with Client.start(COMMAND, stage.environ) as client:
            await client.initialize(stage.workspace, stage.options)
            talk = Talk(client, Screen(stage.workspace, console, stage.home), stage)
            await talk.settle()
            for number in SHOWN:
                if not await play(talk, number, PARTS[number - 1]):
                    raise SystemExit(f"part {number} was not answered")
    return FONTS.sub("", console.export_svg(title="make run", theme=MONOKAI, unique_id="pi-lsp"))


if __name__ == "__main__":
    PICTURE.write_text(asyncio.run(picture()), "utf-8")
