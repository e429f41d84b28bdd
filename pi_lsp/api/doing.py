"""The methods that may ask a model, with what the window has for them: compacting and switching."""

from functools import partial

from pi_lsp.agent.chat import speaker_of
from pi_lsp.agent.speaker import Nobody, Speaker
from pi_lsp.agent.speaking import NoModelError
from pi_lsp.agent.summarizing import Report
from pi_lsp.agent.window import Window
from pi_lsp.api import compaction, switching
from pi_lsp.api.compaction import CompactParams, CompactResult, UndoResult
from pi_lsp.api.switching import SwitchParams, SwitchResult


def _silent(_: str) -> None:
    pass


async def compact(window: Window, params: CompactParams, report: Report = _silent) -> CompactResult:
    """Compact the conversation now; `report` hears what is being done."""
    find = partial(_speaker, window)
    return await compaction.compact(window, params, compactor=window.compactor, find_speaker=find, report=report)


async def undo_compaction(window: Window, params: object) -> UndoResult:
    """Go on from before the latest compaction."""
    return await compaction.undo(window, params, compactor=window.compactor)


async def switch(window: Window, params: SwitchParams, report: Report = _silent) -> SwitchResult:
    """Go to another place of the session tree; `report` hears what is being done."""
    find = partial(_speaker, window)
    return await switching.switch(window, params, switcher=window.switcher, find_speaker=find, report=report)


async def _speaker(window: Window) -> Speaker | Nobody:
    """Whom to ask for a summary. Where there is nobody it is made without a model, and the answer says why."""
    await window.ready()
    await window.load_hooks()
    try:
        return await speaker_of(window)
    except NoModelError as error:
        return Nobody(str(error))
