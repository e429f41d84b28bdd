"""The pages that commands open, as Markdown. Names and previews of files and sessions stand in code spans."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

from pi_lsp.agent.window import Window
from pi_lsp.api import compact, context, explain, rules, tree
from pi_lsp.api.rules import Rules
from pi_lsp.base.json import as_str
from pi_lsp.base.paths import home_dir, uri_to_path
from pi_lsp.context.refs import EntryRef
from pi_lsp.lsp.page import Page
from pi_lsp.lsp.rule_text import Here, rules_at
from pi_lsp.session.messages import role_of, text_of

PageText: TypeAlias = Callable[[Window, str], Awaitable[str]]
LAST_ENTRIES = 200
"""So many entries of the path the page of the conversation goes back."""


async def conversation_page(window: Window, _argument: str) -> str:
    """What was said on the path to the leaf."""
    path = await window.in_session(lambda conversation: conversation.path(conversation.leaf_id)[-LAST_ENTRIES:])
    parts: list[str] = []
    for entry in path:
        message = entry.message
        role = role_of(message)
        if entry.type == "message" and role in ("user", "assistant") and (text := text_of(message).strip()):
            parts.append(f"## {'You' if role == 'user' else as_str(message.get('model')) or 'Answer'}\n\n{text}")
        if error := as_str(message.get("errorMessage")):
            parts.append(f"*{_code(error)}*")
    return _page("Conversation", *parts)


async def context_page(window: Window, _argument: str) -> str:
    """What the next request would hold."""
    shown = await context.context(window, context.ContextParams())
    sections = [(_code(one.name), one.tokens, _code(one.uri or "")) for one in shown.sections]
    messages = [(_code(one.role), one.tokens, _code(one.preview)) for one in shown.messages]
    share = f"{100 * shown.total / shown.window:.1f} % of {shown.window}" if shown.window else "an unknown share"
    return _page(
        "What the model would see",
        f"{shown.total} tokens ({shown.source}), {share}.",
        "## System prompt\n\n" + _table(("section", "tokens", "file"), sections),
        "## Messages\n\n" + _table(("role", "tokens", "text"), messages),
    )


async def tree_page(window: Window, _argument: str) -> str:
    """The session tree, without what is only bookkeeping."""
    shown = await tree.tree(window, tree.TreeParams())
    depths: dict[str, int] = {}
    lines: list[str] = []
    children = {node.id: node.children for node in shown.nodes}
    for node in shown.nodes:
        above = node.parent_id
        # Only where branches part does the tree go deeper: a conversation is one long line otherwise.
        depths[node.id] = depths.get(above or "", 0) + (above is not None and children.get(above, 1) > 1)
        mark = "**" if node.on_path else ""
        label = f" [{_code(node.label)}]" if node.label else ""
        what = f"{mark}{node.role or node.type}{mark}{label}: {_code(node.preview)} {_code(node.id)}"
        lines.append("  " * depths[node.id] + f"- {what}")
    return _page("Session tree", "What leads to the present place is bold.", "\n".join(lines))


async def preview_page(window: Window, _argument: str) -> str:
    """What a compaction would do."""
    shown = await compact.preview(window, compact.PreviewParams())

    def listed(title: str, entries: Sequence[EntryRef]) -> str | None:
        rows = [(_code(one.role or one.type), one.tokens, _code(one.preview)) for one in entries]
        return f"## {title}\n\n" + _table(("role", "tokens", "text"), rows) if rows else None

    return _page(
        "What a compaction would do",
        f"About {shown.tokens_before} tokens now, {shown.tokens_after} with the summary below.",
        listed("Summarised", (*shown.summarized, *shown.turn_prefix)),
        listed("Kept", shown.kept),
        f"## The summary that needs no model\n\n{shown.local_summary}",
    )


async def explain_page(window: Window, query: str) -> str:
    """Where a text stands, and whether the model knows it."""
    found = await explain.explain(window, explain.ExplainParams(query=query))
    parts = [f"The next request {'holds' if found.in_request else 'does not hold'} {_code(query)}."]
    for hit in found.hits:
        where = _code(hit.uri or hit.entry_id or "")
        parts.append(f"- **{hit.fate}** {where}: {_code(hit.detail)}\n  {_code(hit.preview)}")
    return _page("Does the model know?", *parts)


async def rules_page(window: Window, uri: str) -> str:
    """The rules that apply to a file or folder."""
    found = await rules.rules(window, rules.RulesParams(uri=uri or None))
    if not isinstance(found, Rules):
        raise TypeError("one directory was asked for")
    page = Page(markdown=True, folders=tuple(window.workspace.folders), home=home_dir())
    target = uri_to_path(uri) or window.place
    return _page("Rules", rules_at(page, found, target, Here(cwd=window.cwd, session_known=True)))


PAGES: Mapping[str, PageText] = {
    "chat": conversation_page,
    "context": context_page,
    "tree": tree_page,
    "preview": preview_page,
    "explain": explain_page,
    "rules": rules_page,
}
"""By the name that stands in a page's URI."""


def _page(title: str, *parts: str | None) -> str:
    return "\n\n".join([f"# {title}", *filter(None, parts)]) + "\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _code(text: str) -> str:
    return Page(markdown=True, folders=(), home="").code(text) if text else ""
