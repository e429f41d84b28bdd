"""What of an entry can be said to the model anew."""

from pi_lsp.base.json import as_str
from pi_lsp.context.convert import bash_text
from pi_lsp.context.select import entry_messages
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import role_of, text_of


def text_to_restore(entry: Entry) -> str:
    """The text of an entry as it is stored; empty where it has none, and for a system prompt, which is stated anew."""
    for message in entry_messages(entry):
        match role_of(message):
            case "user" | "assistant" | "toolResult" | "custom":
                return text_of(message)
            case "bashExecution":
                return bash_text(message)
            case "branchSummary" | "compactionSummary":
                return as_str(message.get("summary"))
            case _:
                pass
    return ""
