"""The parts of the demonstration that talk: a question, a compaction, a switch of branch; all in the copied session."""

import asyncio
import time
from collections.abc import Sequence
from typing import TypeVar

from pi_lsp.api.chat import AbortResult, ChatParams, ChatResult
from pi_lsp.api.compaction import CompactParams, CompactResult, UndoResult
from pi_lsp.api.context import Context, ContextParams
from pi_lsp.api.entries import Entries, EntriesParams
from pi_lsp.api.errors import RefusedError
from pi_lsp.api.methods import NoParams
from pi_lsp.api.models import ModelList, ModelParams
from pi_lsp.api.state import ModelState, State
from pi_lsp.api.switching import SwitchParams, SwitchResult
from pi_lsp.api.tree import TreeNode, TreeParams, TreeResult
from pi_lsp.base.json import JsonObject, as_str
from pi_lsp.base.text import one_line
from pi_lsp.base.wire import Wire
from pi_lsp.cli.demo_parts import MANY, Part, Talk
from pi_lsp.cli.show.arriving import Arriving, show_shortened
from pi_lsp.cli.show.screen import Screen, count, joined
from pi_lsp.llm.models import find_model
from pi_lsp.llm.scripted import SCRIPTED_MODEL
from pi_lsp.lsp.client import ServerError

R = TypeVar("R")

DEADLINE_S = 60.0
"""So long a model may take for an answer or a summary."""
_EVENTS_S = 2.0
"""So long the last events may come after the answer to the request."""
_ANSWER_LINES = 10
_SUMMARY_LINES = 8
_PREVIEW_UNITS = 60

SAMPLE_QUESTION = "In two or three sentences: what did I tell you never to do here, and why?"
QUESTION = "In two or three sentences: what are we doing here, and what is left to do?"


class _Answer:
    """Shows the answer of a run while it arrives."""

    def __init__(self, screen: Screen) -> None:
        self.ended = asyncio.Event()
        self.first_s: float | None = None
        """After how long its first words came."""
        self._screen = screen
        self._arriving = Arriving(screen, _ANSWER_LINES)
        self._begun = time.perf_counter()

    def hear(self, event: JsonObject) -> None:
        """Take in an event."""
        match event:
            case {"type": "message_delta", "kind": "text", "delta": str(text)}:
                if self.first_s is None:
                    self.first_s = time.perf_counter() - self._begun
                self._arriving.add(text)
            case {"type": "retry_scheduled"}:
                self._arriving.end()
                _note_retry(self._screen, event)
            case {"type": "agent_end"}:
                self._arriving.end()
                self.ended.set()
            case _:
                pass


async def _question(talk: Talk) -> None:
    screen = talk.screen
    model = await _choose_model(talk)
    question = SAMPLE_QUESTION if talk.stage.is_sample else QUESTION
    screen.heading("You", question)
    screen.heading(model.name or model.id, "" if _is_script(model) else f"{model.provider}/{model.id}")
    answer = _Answer(screen)
    begun = time.perf_counter()
    talk.client.on_event = answer.hear
    result = await _in_time(talk, "pi/chat", ChatParams(text=question), ChatResult)
    await _until(answer.ended)
    if result.stop_reason != "done":
        talk.is_model_silent = True
        advice = f" (check {variable})" if (variable := talk.stage.asks_for_model) else ""
        raise ServerError(f"no answer from {model.id}: {result.error or _too_late()}{advice}")
    usage = result.usage
    facts = [
        "our script: no model was asked" if _is_script(model) else f"answered by {model.id}",
        usage and f"{count(usage.total_tokens - usage.output)} tokens in, {count(usage.output)} out",
        f"first words after {answer.first_s:.2f} s" if answer.first_s is not None else None,
        f"all of it after {time.perf_counter() - begun:.2f} s",
        f"${usage.cost.total:.4f}" if usage and usage.cost.total else None,
    ]
    screen.note(f"{joined(facts)}.")


async def _compaction(talk: Talk) -> None:
    """Compact, where need be with less kept than the settings want, and undo it."""
    screen = talk.screen
    talk.client.on_event = lambda event: _hear_retries(screen, event)
    if talk.is_model_silent:
        screen.note("The model gave no answer above, so it is not asked here: the summary is made locally.", "yellow")
    params = CompactParams(summarizer="local" if talk.is_model_silent else "model")
    try:
        result = await _in_time(talk, "pi/compact", params, CompactResult)
    except RefusedError as error:
        if error.reason != "nothingToCompact":
            raise
        keep = (await talk.ask("pi/context", ContextParams(), Context)).total // 4
        screen.note(f"Not needed yet: {screen.shorten(str(error))}. With only {count(keep)} kept:")
        talk.client.configure({"compaction": {"keepRecentTokens": keep}})
        result = await _in_time(talk, "pi/compact", params, CompactResult)
    if result.stop_reason != "done":
        raise ServerError(f"there was no summary: {_too_late()}")
    before, after = result.tokens_before or 0, result.tokens_after or 0
    screen.heading(
        "Compacted",
        f"{count(before)} → {count(after)} tokens",
        f"summary {await _summarizer(talk, result.summarizer)}",
    )
    if result.error:
        screen.note(f"No model wrote the summary: {screen.shorten(result.error)}", "yellow")
    show_shortened(screen, result.summary or "", _SUMMARY_LINES, indent=4)
    await talk.ask("pi/compact/undo", NoParams(), UndoResult)
    screen.note(f"Undone, by one more entry in the file: the context holds {await _size(talk)} again.")


async def _switch(talk: Talk) -> None:
    """Go to a branch that was left, with a local summary of this one, and come back."""
    screen = talk.screen
    tree = await talk.ask("pi/tree", TreeParams(filter="noTools", limit=MANY), TreeResult)
    target = _place_to_go(tree.nodes)
    if target is None:
        screen.note("Nothing was said yet, so there is nowhere to go.")
        return
    here = (await talk.ask("pi/state", NoParams(), State)).session.leaf_id
    screen.heading(f"From {here} to {target.id}", f"“{one_line(target.preview, _PREVIEW_UNITS)}”")
    params = SwitchParams(target_id=target.id, summarizer="local")
    there = await _in_time(talk, "pi/tree/switch", params, SwitchResult)
    if there.editor_text is not None:
        screen.note("What you said there is back in the editor, to be said anew; the agent stands before it.")
    if there.summary_entry_id:
        screen.print("")
        screen.note("The model is told what it leaves, in a summary made from the entries alone:")
        found = await talk.ask("pi/session/entries", EntriesParams(ids=[there.summary_entry_id]), Entries)
        for entry in found.entries:
            show_shortened(screen, as_str(entry.get("summary")), _SUMMARY_LINES, indent=4)
    screen.note(f"The context holds {await _size(talk)} here.")
    back = await talk.ask("pi/tree/switch", SwitchParams(target_id=here), SwitchResult)
    screen.note(f"And back behind {here}: {await _size(talk)}. Going is an entry, too: the leaf is now {back.leaf_id}.")


async def _choose_model(talk: Talk) -> ModelState:
    """The real model where the person wants that: the session's, or the default one; else the script."""
    variable = talk.stage.asks_for_model
    if variable is None:
        talk.screen.note("No ANTHROPIC_API_KEY and no ANTHROPIC_BASE_URL is set, so our built-in script answers.")
        return await _set_model(talk, SCRIPTED_MODEL.provider, SCRIPTED_MODEL.id)
    talk.screen.note(f"{variable} is set, so a real model answers, and is sent this session.")
    model = (await talk.ask("pi/state", NoParams(), State)).model
    listed = (await talk.ask("pi/model/list", NoParams(), ModelList)).models
    if model and any((one.provider, one.id) == (model.provider, model.id) and one.available for one in listed):
        return model
    default = find_model(None, None)
    return await _set_model(talk, default.provider, default.id)


async def _set_model(talk: Talk, provider: str, model_id: str) -> ModelState:
    model = (await talk.ask("pi/model/set", ModelParams(provider=provider, id=model_id), State)).model
    if model is None:
        raise ServerError(f"the model {model_id} could not be chosen")
    return model


async def _in_time(talk: Talk, method: str, params: Wire, kind: type[R]) -> R:
    """The result; what takes too long is aborted, and says so itself. Raises as `Talk.ask`."""
    asking = asyncio.create_task(talk.ask(method, params, kind))
    done, _ = await asyncio.wait({asking}, timeout=DEADLINE_S)
    if not done:
        await talk.ask("pi/abort", NoParams(), AbortResult)
    return await asking


async def _until(event: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(event.wait(), _EVENTS_S)
    except TimeoutError:
        raise ServerError("the server did not tell that the answer is whole") from None


def _place_to_go(nodes: Sequence[TreeNode]) -> TreeNode | None:
    """The newest thing that was said on a branch that was left, by the person if possible; else the oldest wish."""
    left = [node for node in nodes if node.type == "message" and not node.on_path]
    users = [node for node in nodes if node.role == "user"]
    candidates = (*reversed([node for node in left if node.role == "user"]), *reversed(left), *users)
    return next(iter(candidates), None)


async def _size(talk: Talk) -> str:
    return f"{count((await talk.ask('pi/context', ContextParams(), Context)).total)} tokens"


async def _summarizer(talk: Talk, summarizer: str | None) -> str:
    if summarizer != "model":
        return "local, from the entries alone"
    model = (await talk.ask("pi/state", NoParams(), State)).model
    return "our script, no model" if model is None or _is_script(model) else f"by {model.id}"


def _is_script(model: ModelState) -> bool:
    return model.provider == SCRIPTED_MODEL.provider


def _too_late() -> str:
    return f"it took longer than {DEADLINE_S:.0f} s and was aborted"


def _hear_retries(screen: Screen, event: JsonObject) -> None:
    if event.get("type") == "retry_scheduled":
        _note_retry(screen, event)


def _note_retry(screen: Screen, event: JsonObject) -> None:
    match event:
        case {"error": str(error), "delayMs": int() | float() as delay}:
            screen.note(f"{screen.shorten(error)}; asked again in {delay / 1000:.0f} s", "yellow")
        case _:
            pass


PARTS = (
    Part(
        "A question",
        "You talk to the model in the session that Pi began. Question and answer are appended to it (here: to a copy).",
        _question,
    ),
    Part(
        "A compaction, and its undoing",
        "Now for real: the summary is one more entry, so nothing is lost and it can be taken back.",
        _compaction,
    ),
    Part(
        "Another branch, and back",
        "What was tried and left is still there. Go to it and take along what has been learned since.",
        _switch,
    ),
)
