"""The demonstration: a real server under a real LSP client, and what it answers, part by part.

It ends with 0 only if every part was answered.
"""

import sys
import time

from rich.rule import Rule
from rich.text import Text

from pi_lsp import __version__
from pi_lsp.api.errors import RefusedError
from pi_lsp.cli import demo_parts, demo_talk
from pi_lsp.cli.demo_parts import Part, Talk
from pi_lsp.cli.plain import CommandError
from pi_lsp.cli.show.screen import Screen, plural
from pi_lsp.cli.stage import MODEL_VARIABLES, Stage, own_stage, sample_stage
from pi_lsp.lsp.client import Client, ServerError

COMMAND = (sys.executable, "-P", "-m", "pi_lsp")
"""The server, as an editor starts it. `-P`: nothing of the folder that we stand in is imported."""


PARTS = (*demo_parts.PARTS, *demo_talk.PARTS)


async def demo(workspace: str | None = None) -> int:
    """Play on the sample, or on a folder of the person. Gives the exit code.

    Raises:
        CommandError: there is no such folder, or the server could not be started.
        OSError: the stage could not be set up.
    """
    begun = time.perf_counter()
    with sample_stage() if workspace is None else own_stage(workspace) as stage:
        screen = Screen(stage.workspace, home=stage.home)
        started = time.perf_counter()
        async with Client.start(COMMAND, stage.environ) as client:
            try:
                await client.initialize(stage.workspace, stage.options)
            except ServerError as error:
                raise CommandError(f"the server did not start: {error}") from None
            introduce(screen, stage, time.perf_counter() - started)
            talk = Talk(client, screen, stage)
            await talk.settle()
            answered = [await play(talk, number, part) for number, part in enumerate(PARTS, 1)]
            for message in client.messages:
                screen.print(Text(f"The server says: {screen.shorten(message)}", "yellow"))
    return _conclude(screen, stage, answered, time.perf_counter() - begun)


def introduce(screen: Screen, stage: Stage, seconds: float) -> None:
    """Say what is about to be shown; `seconds` is how long the server took to start."""
    screen.print(
        Text(f"pi-lsp {__version__}", "bold"),
        f"A server over stdio, asked by an LSP client as an editor asks it; it was up after {seconds:.1f} s.",
    )
    if stage.is_sample:
        screen.print("The workspace is a small sample with a recorded session, in a temporary folder of its own.")
        return
    screen.print("The workspace is yours; it and your agent folder are only read:")
    screen.verbatim(stage.workspace)
    if stage.original is None:
        screen.print("It has no Pi session yet; Pi makes one when you talk to it there. The rest is shown.")
        return
    screen.print("The session is a copy of its newest one:")
    screen.verbatim(stage.original)


async def play(talk: Talk, number: int, part: Part) -> bool:
    """Play one part; gives whether it was answered. A refusal with its reason is an answer on a folder of yours."""
    talk.screen.print("", Rule(Text(f"{number}  {part.title}", "bold cyan"), align="left", style="cyan"))
    talk.screen.print(Text(part.why, "italic"), "")
    try:
        await part.play(talk)
    except RefusedError as error:
        talk.screen.note(f"The server declines: {talk.screen.shorten(str(error))}.", "yellow")
        return not talk.stage.is_sample
    except (ServerError, OSError) as error:
        talk.screen.note(f"Not answered: {talk.screen.shorten(str(error))}", "bold red")
        return False
    return True


def _conclude(screen: Screen, stage: Stage, answered: list[bool], seconds: float) -> int:
    screen.print("", Rule(style="cyan"))
    missing = [str(number) for number, good in enumerate(answered, 1) if not good]
    if missing:
        screen.print(Text(f"Not answered: part {', '.join(missing)}.", "bold red"))
        return 1
    screen.print(f"All {plural(len(answered), 'part')} were answered, in {seconds:.1f} s altogether.")
    if stage.asks_for_model is None:
        screen.print(f"No model was asked. With {MODEL_VARIABLES[0]} set, parts 8 to 10 ask a real one.")
    if stage.is_sample:
        screen.print("On your own folder: make run WORKSPACE=path    One by one: pi-lsp --help")
    return 0
