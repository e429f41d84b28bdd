"""A real Neovim, set up as README.md says, in front of the real server."""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pi_lsp.base.paths import path_to_uri
from tests.support.api_server_replies import Reply
from tests.support.chats import Api
from tests.support.editor import Home, session_lines, write
from tests.support.neovim import Neovim, neovim_or_skip
from tests.support.waiting import wait_until

HEAD = "**Rules for `work` and everything below it**"
CJK = "Ask 港湾 💡é `services/api/x.py` first."

Start = Callable[..., Neovim]


@pytest.fixture(scope="module")
def program() -> str:
    return neovim_or_skip()


@pytest.fixture
def start(program: str, api: Api, home: Home) -> Iterator[Start]:
    """Starts Neovims in the workspace, with AGENTS.md open. Each leaves at the end, and nothing of it stays."""
    write(
        home.workspace,
        {
            ".git/HEAD": "",
            "AGENTS.md": f"# Harbour\n\n{CJK}\n",
            "CLAUDE.md": "Nobody reads me.\n",
            "services/api/AGENTS.md": "# The API\n\nBe exact.\n",
            "services/api/x.py": "",
        },
    )
    write(home.agent, {"AGENTS.md": "# Everywhere\n", "settings.json": '{"compaction": {"keepRecentTokens": 50}}'})
    with ExitStack() as stack:

        def begin(file: Path | None = None, more: str = "") -> Neovim:
            file = file or home.workspace / "AGENTS.md"
            neovim = stack.enter_context(Neovim(program, home, file.parent, more))
            neovim.edit(file)
            return neovim

        yield begin


def converse(home: Home) -> None:
    """A session from some days ago."""
    said = [
        ("user", "How deep is the harbour? " + "It is wide. " * 40),
        ("assistant", "Twelve fathoms. " + "I measured it. " * 40),
        ("user", "And the quay?"),
        ("assistant", "Three."),
    ]
    path = home.sessions / "2026-05-04T08-12-03-000Z_0196993a.jsonl"
    write(home.sessions, {path.name: session_lines(home.workspace, *said)})
    past = time.time() - 5 * 86400
    os.utime(path, (past, past))


def test_hovers(start: Start, home: Home) -> None:
    neovim = start()
    assert neovim.roots == [str(home.workspace)]
    head = neovim.hover(1)
    assert head.startswith(f"{HEAD}\n\nRead by this window's agent, which works in `work`.\n\n")
    assert "Read instead of `work/CLAUDE.md`." in head
    assert re.search(r"\n1\. `~/.pi/agent/AGENTS.md`, about \d+ tokens.*\n2\. \*\*`work/AGENTS.md`\*\*, ", head)
    path = neovim.hover(3, "services/ap")
    assert path.startswith("**Rules for `work/services/api/x.py`**\n\nAn agent started in `work/services/api` reads")
    assert "does not read the rules of `work/services/api`" in path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_mentioned_path_is_marked_behind_wide_characters(start: Start, encoding: str) -> None:
    more = (
        f'vim.lsp.config("pi_lsp", {{ capabilities = {{ general = {{ positionEncodings = {{ "{encoding}" }} }} }} }})'
    )
    neovim = start(more=more)
    assert neovim.lua("return vim.lsp.get_clients()[1].offset_encoding") == encoding
    assert "services/api/x.py`**" in neovim.hover(3, "`s")
    neovim.lua(
        "marked = {} vim.hl.range = function(buffer, _, _, first, last) "
        "table.insert(marked, vim.api.nvim_buf_get_text(buffer, first[1], first[2], last[1], last[2], {})[1]) end"
    )
    neovim.hover(3, "x.py")
    assert neovim.lua("return marked") == ["services/api/x.py"]


def test_what_is_typed_and_what_changes_on_disk_counts_at_once(start: Start, home: Home) -> None:
    neovim = start()
    first = _tokens(neovim.hover(1))
    neovim.lua("vim.fn.append(vim.fn.line('$'), ...)", "Mind the 潮 💡 tide. " * 50)
    assert _tokens(neovim.hover(1)) > first + 200
    assert "It stands nowhere" in neovim.page("Pi explain the tide is low")
    write(home.workspace, {"quay/AGENTS.md": "# Quay\n\nSay that the tide is low.\n"})
    wait_until(lambda: "`work/quay/AGENTS.md`, line 3" in _again(neovim, "Pi explain the tide is low"))


def _tokens(head: str) -> int:
    found = re.search(r"About ([\d,]+) tokens\.", head)
    assert found
    return int(found[1].replace(",", ""))


def _again(neovim: Neovim, command: str) -> str:
    """The page of a command, where it may be the one that is shown already."""
    neovim.edit("AGENTS.md")
    return neovim.page(command)


def test_a_folder_without_git_is_its_own_project_though_pi_lives_above_it(start: Start, home: Home) -> None:
    notes = home.home / "notes"
    write(notes, {"AGENTS.md": "# Notes\n", "todo.md": "nothing\n"})
    neovim = start(notes / "AGENTS.md")
    neovim.edit(notes / "todo.md")
    assert neovim.roots == [str(notes)]


def test_each_answer_is_shown_by_the_one_server(start: Start, api: Api, home: Home) -> None:
    neovim = start(
        more="told = {} vim.api.nvim_create_autocmd('LspProgress', "
        "{ callback = function(event) table.insert(told, event.data.params.value) end })"
    )
    api.will(Reply(text="Boats are **fine**.", delay_s=0.02), Reply(text="So is\n\n## the quay."))
    assert neovim.page("Pi ask How are the boats?") == (
        "# Conversation\n\n## You\n\nHow are the boats?\n\n## claude-sonnet-4-5\n\nBoats are **fine**."
    )
    assert neovim.line == "## claude-sonnet-4-5"
    told = neovim.lua("return told")
    assert told[0] == {"kind": "begin", "title": "pi: asking", "cancellable": True}
    assert "characters of the answer" in told[-2]["message"]
    assert told[-1]["kind"] == "end"
    # The page is in front while it is written anew.
    assert neovim.page("Pi ask And the quay?").endswith(
        "And the quay?\n\n## claude-sonnet-4-5\n\nSo is\n\n## the quay."
    )
    assert neovim.line == "## claude-sonnet-4-5"
    assert neovim.name == "pi-chat.md"
    neovim.edit(neovim.lua("return vim.api.nvim_buf_get_name(0)"))
    assert neovim.roots == [str(home.workspace)]
    assert [len(request.body["messages"]) for request in api.server.requests] == [1, 3]


def test_a_text_is_written_on_a_page_and_passed_on(start: Start, api: Api) -> None:
    neovim = start()
    neovim.page("Pi ask")
    assert neovim.name == "pi-ask.md"
    assert neovim.line == ""
    page = neovim.lua("return vim.api.nvim_buf_get_name(0)")
    neovim.edit(page)
    neovim.lua("vim.api.nvim_put({ 'How are', 'the boats?' }, 'l', true, true) vim.lsp.codelens.refresh()")
    lenses = neovim.until("local found = vim.lsp.codelens.get(0) return found[1] and found")
    assert [lens["command"]["title"] for lens in lenses] == ["Send"]
    neovim.lua("vim.api.nvim_win_set_cursor(0, { 1, 0 })")
    neovim.lua("page = vim.api.nvim_get_current_buf() vim.lsp.codelens.run()")
    neovim.until("return vim.api.nvim_get_current_buf() ~= page")
    assert _asked(api) == "How are\nthe boats?"
    # It was passed on: the next one is empty, and needs no lens.
    neovim.page("Pi ask")
    neovim.edit(neovim.lua("return vim.api.nvim_buf_get_name(0)"))
    assert "boats" not in neovim.text
    neovim.lua("vim.api.nvim_put({ 'And the quay?' }, 'l', true, true)")
    neovim.page("Pi ask")
    assert _asked(api) == "And the quay?"


def _asked(api: Api) -> str:
    return api.server.requests[-1].body["messages"][-1]["content"][0]["text"]


def test_pages_and_a_compaction(start: Start, home: Home, api: Api) -> None:
    converse(home)
    api.will(Reply(text="## Goal\nTo know the harbour."))
    neovim = start()
    assert "1. `~/.pi/agent/AGENTS.md`, about" in neovim.page("Pi showRules")
    assert "`work/CLAUDE.md`: `work/AGENTS.md` is read instead" in neovim.text
    assert neovim.page("Pi showRules services/api/x.py").startswith("# Rules\n\n**Rules for `work/services/api/x.py`**")
    uri = path_to_uri(str(home.workspace / "services"))
    assert "**Rules for `work/services`**" in neovim.page(f"Pi showRules {uri}")
    tree = neovim.page("Pi showTree").splitlines()
    assert [line.split(":")[0] for line in tree[4:]] == ["- **you**", "- **model**", "- **you**", "- **model**"]
    assert tree[-1].endswith(": `Three.` `e4`")
    context = neovim.page("Pi showContext")
    assert "| `project_context` |" in context and "| `work/AGENTS.md` |" in context
    assert "| model |" in context and "| `Three.` |" in context
    assert "- **sent**: entry `e2`: sent as it is stored\n  `" in neovim.page("Pi explain twelve FATHOMS")
    preview = neovim.page("Pi previewCompaction")
    assert "## The summary takes the place of\n\n| who | tokens | text |\n| --- | --- | --- |\n| you | " in preview
    assert "\n```\n## Goal\n" in preview
    compacted = r"pi: compacted from about [\d,]+ tokens to about \d+ tokens; the model wrote the summary\."
    assert neovim.told("Pi compact mind the quay", compacted)
    assert "mind the quay" in str(api.server.requests[-1].body)
    assert "- **summary**: `To know the harbour." in neovim.page("Pi showTree")
    assert neovim.told("Pi compact", "pi: nothing has happened since the last compaction")


def test_choices(start: Start, home: Home) -> None:
    converse(home)
    neovim = start()
    neovim.run("Pi switchBranch")
    assert [choice[:28] for choice in neovim.asked("Go back to before which message?")] == [
        "1: And the quay?",
        "2: How deep is the harbour? ",
    ]
    neovim.press("1<CR>")
    choices = neovim.asked("Shall what is left be summarised?")
    assert choices == ["1: No", "2: Yes, by the model", "3: Yes, without a model"]
    neovim.press("1<CR>")
    neovim.until("return vim.fn.expand('%:t') == 'pi-ask.md'")
    assert neovim.text.endswith("\n\nAnd the quay?")
    assert neovim.line == "And the quay?"
    # The same in the way of a plugin, and nothing chosen.
    neovim.lua("vim.ui.select = function(items, options, done) chosen = #items done(nil) end")
    neovim.run("Pi switchBranch")
    neovim.until("return chosen")
    assert neovim.told("Pi newSession", "pi: a new session")
    neovim.lua(
        "vim.ui.select = function(items, options, done) "
        "chosen = { options.prompt, vim.tbl_map(options.format_item, items) } done(items[1]) end"
    )
    conversation = neovim.page("Pi openSession")
    prompt, [title] = neovim.lua("return chosen")
    assert prompt == "Which session?: "
    assert title.startswith("How deep is the harbour?") and title.endswith("…") and len(title) == 60
    assert "Twelve fathoms." in conversation and "Three." not in conversation
    assert neovim.told("Pi switchBranch nothing", "not found")


def test_leaving_while_an_answer_comes_ends_the_server_and_takes_its_pages_away(start: Start, api: Api) -> None:
    neovim = start()
    api.will(Reply(text="Half an answer", stall_after=5))
    neovim.page("Pi showContext")
    assert neovim.pages
    neovim.run("Pi ask Tell me all")
    wait_until(lambda: api.server.requests)
    neovim.leave()
