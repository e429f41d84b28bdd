"""The results of the protocol as a person reads them on a terminal; one file a result."""

from pi_lsp.api.compact import Preview
from pi_lsp.api.context import Context
from pi_lsp.api.explain import Explanation
from pi_lsp.api.rules import Rules
from pi_lsp.api.sessions import SessionList
from pi_lsp.api.skills import Skills
from pi_lsp.api.tree import TreeResult
from pi_lsp.base.wire import Wire
from pi_lsp.cli.show.compact import show_preview
from pi_lsp.cli.show.context import show_context
from pi_lsp.cli.show.explain import show_explanation
from pi_lsp.cli.show.rules import show_rules
from pi_lsp.cli.show.screen import Screen
from pi_lsp.cli.show.sessions import show_sessions
from pi_lsp.cli.show.skills import show_skills
from pi_lsp.cli.show.tree import show_tree


def show(screen: Screen, result: Wire, query: str = "") -> None:
    """Show the result of a command; `query` is what `explain` was asked for."""
    match result:
        case Rules():
            show_rules(screen, result)
        case Skills():
            show_skills(screen, result)
        case Context():
            show_context(screen, result)
        case SessionList():
            show_sessions(screen, result)
        case TreeResult():
            show_tree(screen, result)
        case Preview():
            show_preview(screen, result)
        case Explanation():
            show_explanation(screen, result, query)
        case _:
            raise TypeError(f"no way to show {type(result).__name__}")
