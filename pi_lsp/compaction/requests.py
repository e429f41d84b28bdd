"""The requests that ask a model for a summary. The frames are Pi 1.6.0's, the sentences are `Wording`'s.

`instructions` are the user's own words on what a summary should hold.
"""

from collections.abc import Sequence

from pi_lsp.compaction.serialize import serialize
from pi_lsp.context.convert import to_llm
from pi_lsp.context.model import Model
from pi_lsp.context.wording import Wording
from pi_lsp.llm.contract import CompletionRequest
from pi_lsp.session.messages import Message


def history_request(
    messages: Sequence[Message],
    previous_summary: str | None,
    instructions: str | None,
    reasoning: str | None,
    wording: Wording,
) -> CompletionRequest:
    """Ask for a summary of whole turns, one that takes an earlier summary in where there is one."""
    previous, task = "", wording.summary_first
    if previous_summary:
        previous, task = f"<previous-summary>\n{previous_summary}\n</previous-summary>\n\n", wording.summary_update
    prompt = _conversation(messages, wording) + previous + _task(task, instructions)
    return CompletionRequest(system=wording.summary_system, prompt=prompt, reasoning=reasoning)


def turn_prefix_request(
    messages: Sequence[Message], instructions: str | None, reasoning: str | None, wording: Wording
) -> CompletionRequest:
    """Ask for a summary of the first part of a turn whose rest stays."""
    task = _task(wording.summary_turn_prefix, instructions)
    prompt = f"# Conversation\n{_text(messages, wording)}\n\n# Instructions\n{task}"
    return CompletionRequest(system=wording.summary_system, prompt=prompt, reasoning=reasoning)


def branch_request(
    messages: Sequence[Message], instructions: str | None, replace: bool | None, wording: Wording
) -> CompletionRequest:
    """Ask for a summary of a branch that is left; with `replace` the instructions, if any, stand for our task."""
    task = instructions if replace and instructions else _task(wording.summary_branch, instructions)
    return CompletionRequest(system=wording.summary_system, prompt=_conversation(messages, wording) + task)


def summary_reasoning(model: Model, level: str) -> str | None:
    """The thinking level to ask for: none where it is off or the model cannot think."""
    return level if model.reasoning and level and level != "off" else None


def _conversation(messages: Sequence[Message], wording: Wording) -> str:
    return f"<conversation>\n{_text(messages, wording)}\n</conversation>\n\n"


def _text(messages: Sequence[Message], wording: Wording) -> str:
    return serialize(to_llm(list(messages), wording))


def _task(task: str, instructions: str | None) -> str:
    return f"{task}\n\nAdditional focus: {instructions}" if instructions else task
