"""Which rule files apply, and why others do not."""

import os

from rich.text import Text

from pi_lsp.api.rules import RuleFile, Rules
from pi_lsp.base.paths import uri_to_path
from pi_lsp.cli.plain import clean
from pi_lsp.cli.show.screen import NO, YES, Screen, count, grid, joined, plural
from pi_lsp.resources.rule_reasons import why_not_loaded

_WHERE = {"global": "global", "ancestor": "above", "directory": "here", "nested": "below"}


def show_rules(screen: Screen, rules: Rules, *, with_session: bool = True) -> None:
    """The files of one folder in reading order: the later stands closer to the work.

    `with_session`: say what the window's session does not have as it stands now.
    """
    loaded = [file for file in rules.files if file.loaded]
    folder = screen.path(rules.directory)
    title = "Rules here" if folder == "." else f"Rules in {folder}"
    facts = [f"{plural(len(loaded), 'file')} loaded", plural(rules.tokens, "token")] if rules.files else []
    screen.heading(title, *facts)
    if not rules.files:
        screen.note("No rule file here or above. An AGENTS.md in this folder would be one.")
        return
    table = grid("left", "path", "left", "text", "right")
    for file in rules.files:
        table.add_row(
            Text(f"  {YES}", "green") if file.loaded else Text(f"  {NO}", "yellow"),
            Text(screen.path(file.uri), "" if file.loaded else "dim"),
            Text(_WHERE[file.scope], "dim"),
            _about(screen, file, with_session=with_session),
            count(file.tokens) if file.loaded else "",
        )
    screen.print(table)


def why_not(screen: Screen, file: RuleFile) -> str:
    """Why a file is not loaded (or is loaded twice), in words; empty where there is nothing to say."""
    by = screen.path(file.by) if file.by else ""
    if file.by and os.path.dirname(uri_to_path(file.by) or "") == os.path.dirname(uri_to_path(file.uri) or ""):
        by = os.path.basename(by)
    return why_not_loaded(file.reason, by=by, detail=screen.shorten(file.detail or ""))


def _about(screen: Screen, file: RuleFile, *, with_session: bool) -> Text:
    about = Text().append(clean(file.title or ""), "" if file.loaded else "dim")
    notes = joined(
        [
            why_not(screen, file),
            "changed since the session read it" if with_session and file.changed_since else None,
            "new to the session" if with_session and file.loaded and not file.in_session else None,
        ]
    )
    if notes and about:
        about.append(" · ", "dim")
    return about.append(notes, "yellow")
