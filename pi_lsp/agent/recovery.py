"""What follows an answer: nothing, a tool that has to be answered, another attempt, a compaction first.

Pure: the rules are Pi 1.6.0's, the run acts on them. Overflow is looked for before what is worth retrying, since the
text of such an error may match both.
"""

from typing import Literal, TypeAlias

from pi_lsp.context.model import Model
from pi_lsp.llm.retry_errors import is_overflow, is_recoverable_length, is_retryable
from pi_lsp.session.messages import Message, tool_calls_of

Verdict: TypeAlias = Literal["done", "tools", "retry", "compactAndRetry", "compact", "aborted", "failed"]


def verdict(answer: Message, model: Model, *, recovered: bool) -> Verdict:
    """What an answer asks for.

    Args:
        answer: the assistant message.
        model: the one that gave it.
        recovered: a compaction has already been tried for this user message; then an overflow is a failure.
    """
    reason = answer.get("stopReason")
    if reason == "aborted":
        return "aborted"
    if is_overflow(answer, model.context_window):
        if reason == "stop":
            return "compact"
        return "failed" if recovered else "compactAndRetry"
    if reason == "error":
        return "retry" if is_retryable(answer) else "failed"
    if any(True for _ in tool_calls_of(answer)):
        return "tools"
    if is_recoverable_length(answer, model.max_tokens):
        return "failed" if recovered else "compactAndRetry"
    return "done"
