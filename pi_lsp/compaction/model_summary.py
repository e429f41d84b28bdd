"""The summary that a model writes."""

from pi_lsp.compaction.plan import Preparation
from pi_lsp.compaction.reply import add_usage, read_reply
from pi_lsp.compaction.requests import history_request, turn_prefix_request
from pi_lsp.compaction.result import Summary
from pi_lsp.context.wording import WORDING, Wording
from pi_lsp.llm.contract import Complete

NO_HISTORY = "No prior history."
TURN_PREFIX_HEADING = "\n\n---\n\n**Turn Context (split turn):**\n\n"
"""What stands between the summary of the history and that of a split turn's first part."""


async def summarize(
    preparation: Preparation,
    complete: Complete,
    *,
    instructions: str | None = None,
    reasoning: str | None = None,
    wording: Wording = WORDING,
) -> Summary:
    """Ask a model for the summary; for a split turn once for the history and once for the turn's first part.

    Args:
        preparation: what is to be summarised.
        complete: how to ask.
        instructions: the user's own instructions; both requests carry them.
        reasoning: the thinking level (`requests.summary_reasoning`).
        wording: the sentences of the requests.

    Raises:
        SummaryError: an answer is unusable.
    """
    messages, prefix = preparation.messages_to_summarize, preparation.turn_prefix_messages
    previous = preparation.previous_summary
    usage = None
    text = NO_HISTORY if previous is None else previous
    if messages:
        request = history_request(messages, previous, instructions, reasoning, wording)
        history = read_reply(await complete(request), "Summarization")
        text, usage = history.text, history.usage
    if prefix:
        request = turn_prefix_request(prefix, instructions, reasoning, wording)
        turn = read_reply(await complete(request), "Turn prefix summarization")
        text, usage = text + TURN_PREFIX_HEADING + turn.text, add_usage(usage, turn.usage)
    return Summary(text=text, usage=usage)
