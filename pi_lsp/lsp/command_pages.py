"""The pages that commands open, as Markdown. Names and previews of files and sessions stand in code spans."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeAlias

from pi_lsp.agent.window import Window
from pi_lsp.api import compact, context, explain, rules, tree
from pi_lsp.api.rules import Rules
from pi_lsp.base.json import as_str
from pi_lsp.base.paths import home_dir, uri_to_path
from pi_lsp.context.refs import EntryRef
from pi_lsp.lsp.page import Page, about_tokens
from pi_lsp.lsp.rule_text import Here, rules_at
from pi_lsp.lsp.showing import Shown
from pi_lsp.lsp.tree_text import tree_lines, who
from pi_lsp.session.messages import role_of, text_of

PageText: TypeAlias = Callable[[Window, str], Coroutine[Any, Any, Shown]]
LAST_ENTRIES = 200
"""So many entries of the path the page of the conversation goes back."""

_FATES = {"absent": "not sent", "changed": "sent, but changed"}


async def conversation_page(window: Window, _argument: str) -> Shown:
    """What was said on the path to the leaf. What was said last is looked at first."""
    path = await window.in_session(lambda conversation: conversation.path(conversation.leaf_id))
    page = _page_of(window)
    parts = ["# Conversation"]
    if (left := len(path) - LAST_ENTRIES) > 0:
        parts.append(f"{left:,} earlier entries of the session are left out.")
    speaker, last = "", 0
    for entry in path[-LAST_ENTRIES:]:
        message = entry.message
        role = role_of(message)
        text = text_of(message).strip() if entry.type == "message" and role in ("user", "assistant") else ""
        error = as_str(message.get("errorMessage"))
        if not text and not error:
            continue
        name = "You" if role == "user" else page.prose(as_str(message.get("model")) or "Answer")
        if name != speaker:
            speaker, last = name, len(parts)
            parts.append(f"## {name}")
        end = "Cancelled" if message.get("stopReason") == "aborted" else "Failed"
        parts += filter(None, [text, f"*{end}*: {page.code(error)}" if error else ""])
    if not last:
        parts.append("Nothing was said yet.")
    return Shown(_joined(parts), _joined(parts[:last]).count("\n") + 1 if last else 0)


async def context_page(window: Window, _argument: str) -> Shown:
    """What the next request would hold."""
    shown = await context.context(window, context.ContextParams())
    page = _page_of(window)
    sections = [(page.code(one.name), one.tokens, page.uri(one.uri) if one.uri else "") for one in shown.sections]
    tools = [(page.code(one.name), one.tokens) for one in shown.tools]
    messages = [
        (f"{who(page, one.role)}{' (added)' if one.added else ''}", one.tokens, page.code(one.preview))
        for one in shown.messages
    ]
    share = f", {shown.total / shown.window:.1%} of the model's window of {shown.window:,}" if shown.window else ""
    return _shown(
        "# What the model would see",
        f"The next request has {about_tokens(shown.total)} ({shown.source}){share}.",
        page.prose(shown.doubt) if shown.doubt else None,
        "## System prompt",
        _table(("section", "tokens", "file"), sections),
        "## Tools" if tools else None,
        _table(("tool", "tokens"), tools),
        "## Messages",
        _table(("who", "tokens", "text"), messages) or "None yet.",
        "No entry holds what is *added*: it is put in so that the provider takes the request."
        if any(one.added for one in shown.messages)
        else None,
    )


async def tree_page(window: Window, _argument: str) -> Shown:
    """The session tree, without what is only bookkeeping."""
    shown = await tree.tree(window, tree.TreeParams())
    if not shown.nodes:
        return _shown("# Session tree", "Nothing was said yet.")
    return _shown(
        "# Session tree",
        "Bold is the way to where the conversation stands; branches that were left are set in. Each line ends with the "
        "entry's id, which `pi.switchBranch` takes.",
        "\n".join(tree_lines(_page_of(window), shown.nodes)),
        f"There is more than these {len(shown.nodes):,} entries." if shown.more else None,
    )


async def preview_page(window: Window, _argument: str) -> Shown:
    """What a compaction would do."""
    shown = await compact.preview(window, compact.PreviewParams())
    page = _page_of(window)

    def listed(entries: Sequence[EntryRef]) -> str:
        rows = [(who(page, one.role or one.type), one.tokens, page.code(one.preview)) for one in entries]
        return _table(("who", "tokens", "text"), rows) or "Nothing."

    return _shown(
        "# What a compaction would do",
        f"The next request has {about_tokens(shown.tokens_before)} now. With the summary below it would have "
        f"{about_tokens(shown.tokens_after)}.",
        "## The summary takes the place of",
        listed((*shown.summarized, *shown.turn_prefix)),
        "## What stays as it is",
        listed(shown.kept),
        "## The summary",
        "This one is made without a model. `pi.compact` lets the model write one.",
        page.block(shown.local_summary),
    )


async def explain_page(window: Window, query: str) -> Shown:
    """Where a text stands, and whether the model knows it."""
    found = await explain.explain(window, explain.ExplainParams(query=query))
    page = _page_of(window)
    lines: list[str] = []
    for hit in found.hits:
        where = page.uri(hit.uri) if hit.uri else f"entry {page.code(hit.entry_id or '')}"
        line = f", line {hit.range.start.line + 1}" if hit.range else ""
        lines.append(f"- **{_FATES.get(hit.fate, hit.fate)}**: {where}{line}: {page.prose(hit.detail)}")
        lines.append(f"  {page.code(hit.preview)}")
    return _shown(
        "# Does the model know?",
        f"The next request {'holds' if found.in_request else 'does not hold'} {page.code(query)}.",
        "\n".join(lines) or "It stands nowhere: in no entry of any branch, no rule file and no skill.",
        "There are more places." if found.more else None,
    )


async def rules_page(window: Window, uri: str) -> Shown:
    """The rules that apply to a file or folder."""
    found = await rules.rules(window, rules.RulesParams(uri=uri or None))
    if not isinstance(found, Rules):
        raise TypeError("one directory was asked for")
    target = uri_to_path(uri) or window.place
    return _shown("# Rules", rules_at(_page_of(window), found, target, Here(cwd=window.cwd, session_known=True)))


PAGES: Mapping[str, PageText] = {
    "chat": conversation_page,
    "context": context_page,
    "tree": tree_page,
    "preview": preview_page,
    "explain": explain_page,
    "rules": rules_page,
}
"""By the name that stands in a page's URI."""


def _page_of(window: Window) -> Page:
    return Page(markdown=True, folders=tuple(window.workspace.folders), home=home_dir())


def _shown(*parts: str | None) -> Shown:
    return Shown(_joined([part for part in parts if part]))


def _joined(parts: Sequence[str]) -> str:
    return "\n\n".join(parts) + "\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str | int]]) -> str:
    """A table; empty where there are no rows."""
    if not rows:
        return ""
    lines = [head, ["---"] * len(head), *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: str | int) -> str:
    return f"{value:,}" if isinstance(value, int) else value.replace("|", "\\|")
