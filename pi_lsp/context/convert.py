"""Conversion: the roles that only a session knows become messages a provider understands, as in Pi 1.6.0."""

from pi_lsp.base.json import Json, as_str, number_text
from pi_lsp.context.trace import Traced, dropped
from pi_lsp.context.wording import WORDING, Wording
from pi_lsp.session.messages import Message, role_of


def convert(traced: Traced, wording: Wording = WORDING) -> Traced:
    """Every message as system, user, assistant or toolResult; what no model is shown is left out and recorded."""
    items = [(item, convert_message(item.message, wording)) for item in traced.items]
    return Traced(
        items=[item.holding(message) for item, message in items if message is not None],
        changes=traced.changes
        + [dropped(item, "convert", _why_dropped(item.message)) for item, message in items if message is None],
    )


def to_llm(messages: list[Message], wording: Wording = WORDING) -> list[Message]:
    """As `convert`, for messages that nobody traces: the messages alone."""
    return convert(Traced.of(messages), wording).messages


def convert_message(message: Message, wording: Wording) -> Message | None:
    """One message; None for a command kept from the model (`!!`) and for a role that nobody knows."""
    match role_of(message):
        case "system" | "user" | "assistant" | "toolResult":
            return message
        case "bashExecution":
            return None if message.get("excludeFromContext") else _user(message, bash_text(message))
        case "custom":
            content = message.get("content")
            return _user(message, content) if isinstance(content, str) else {**_user(message, ""), "content": content}
        case "branchSummary":
            return _user(message, f"{wording.branch_lead}\n\n<summary>\n{as_str(message.get('summary'))}</summary>")
        case "compactionSummary":
            summary = as_str(message.get("summary"))
            return _user(message, f"{wording.compaction_lead}\n\n<summary>\n{summary}\n</summary>")
        case _:
            return None


def bash_text(message: Message) -> str:
    """What the model reads of a command that the user ran: the command, its output, how it ended."""
    output = as_str(message.get("output"))
    text = f"Ran `{as_str(message.get('command'))}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    code = message.get("exitCode")
    if message.get("cancelled"):
        text += "\n\n(command cancelled)"
    elif isinstance(code, int | float) and not isinstance(code, bool) and code != 0:
        text += f"\n\nCommand exited with code {number_text(code)}"
    spill = as_str(message.get("fullOutputPath"))
    if message.get("truncated") and spill:
        text += f"\n\n[Output truncated. Full output: {spill}]"
    return text


def _user(message: Message, text: str) -> Message:
    content: Json = [{"type": "text", "text": text}]
    time = {"timestamp": message["timestamp"]} if "timestamp" in message else {}
    return {"role": "user", "content": content, **time}


def _why_dropped(message: Message) -> str:
    if role_of(message) == "bashExecution":
        return "a command kept from the model (!!)"
    return f"no model is shown a message of role {role_of(message)!r}"
