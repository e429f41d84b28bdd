"""Hover under a real LSP client, with the capabilities of real editors and all three position encodings."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from pi_lsp.base.paths import path_to_uri
from tests.support.editor import Home, write
from tests.support.rpc import COMMAND

ROOT = "# Harbour 💡\n\nRead `services/api/x.py` and 💡é services/api first.\n\nNothing here.\n"
SKILL = "---\nname: release\ndescription: Releases everything.\n---\n\n# Release\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    write(
        home.workspace,
        {
            "AGENTS.md": ROOT,
            "CLAUDE.md": "@AGENTS.md\n",
            "README.md": "# Read `services/api`\n",
            "services/api/AGENTS.md": "# The API\n",
            "services/api/x.py": "",
            ".pi/skills/release/SKILL.md": SKILL,
        },
    )
    write(home.agent, {"AGENTS.md": "# Everywhere\n", "skills/release/SKILL.md": SKILL})
    return home


class Session:
    """A client with an open workspace."""

    def __init__(self, client: LanguageClient, home: Home) -> None:
        self.client = client
        self.home = home
        self.encoding = "utf-16"

    async def begin(self, capabilities: types.ClientCapabilities, encodings: list[str] | None = None) -> None:
        if encodings is not None:
            capabilities.general = types.GeneralClientCapabilities(
                position_encodings=[types.PositionEncodingKind(encoding) for encoding in encodings]
            )
        folder = types.WorkspaceFolder(path_to_uri(str(self.home.workspace)), "work")
        options = {"trusted": True}
        result = await self.client.initialize_session(
            types.InitializeParams(capabilities, workspace_folders=[folder], initialization_options=options)
        )
        self.encoding = result.capabilities.position_encoding or "utf-16"

    async def hover(self, name: str, line: int, before: str = "") -> types.Hover | None:
        """Hover behind a text of a line, in the columns that were agreed on."""
        path = self.home.workspace / name
        uri, text = path_to_uri(str(path)), path.read_text()
        document = types.TextDocumentItem(uri, types.LanguageKind.Markdown, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
        whole = text.split("\n")[line]
        head = whole[: whole.index(before)] + before
        sizes = {"utf-8": len(head.encode()), "utf-16": len(head.encode("utf-16-le")) // 2, "utf-32": len(head)}
        position = types.Position(line, sizes[self.encoding] if before else 0)
        return await self.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), position)
        )

    async def text(self, name: str, line: int, before: str = "") -> str:
        found = await self.hover(name, line, before)
        if found is None:
            return ""
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value


@pytest.fixture
async def session(home: Home) -> AsyncIterator[Session]:
    client: Any = await ClientServerConfig(server_command=[*COMMAND], server_env={**_environ(), **home.env}).start()
    client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda _: None)
    yield Session(client, home)
    await client.shutdown_session()
    await client.stop()


def _environ() -> dict[str, str]:
    import os

    return dict(os.environ)


@pytest.mark.parametrize("editor", ["visual-studio-code", "neovim@0.11.0", "neovim@0.6.1", "emacs"])
async def test_rule_files_skills_and_paths_under_the_capabilities_of_editors(session: Session, editor: str) -> None:
    await session.begin(client_capabilities(editor))

    head = await session.text("AGENTS.md", 0)
    assert "Rules for `work` and everything below it" in head
    assert "Read instead of `work/CLAUDE.md`." in head
    assert "1. `~/.pi/agent/AGENTS.md`" in head and "2. **`work/AGENTS.md`**" in head

    nested = await session.text("services/api/AGENTS.md", 0)
    assert "Not read by this window's agent, which works in `work`" in nested

    shadowed = await session.text("CLAUDE.md", 0)
    assert "`work/AGENTS.md` is read instead" in shadowed and "Pi does not expand `@AGENTS.md`" in shadowed

    path = await session.text("AGENTS.md", 2, "services/api/x")
    assert "Rules for `work/services/api/x.py`" in path
    assert "3. `work/services/api/AGENTS.md`" in path and "does not read the rules of `work/services/api`" in path

    skill = await session.text(".pi/skills/release/SKILL.md", 1)
    assert "Skill `release`" in skill and "Wins over `~/.pi/agent/skills/release/SKILL.md`" in skill


@pytest.mark.parametrize("encodings", [["utf-8"], ["utf-16"], ["utf-32"], ["utf-32", "utf-8", "utf-16"], None])
async def test_positions_in_every_encoding(session: Session, encodings: list[str] | None) -> None:
    await session.begin(client_capabilities("neovim@0.6.1"), encodings)
    assert session.encoding == (encodings or ["utf-16"])[0]
    found = await session.hover("AGENTS.md", 2, "💡é services/a")
    assert found and found.range
    line = ROOT.split("\n")[2]
    start = line.rindex("services")
    sizes = {
        "utf-8": len(line[:start].encode()),
        "utf-16": len(line[:start].encode("utf-16-le")) // 2,
        "utf-32": start,
    }
    assert found.range.start.character == sizes[session.encoding]
    assert found.range.end.character - found.range.start.character == len("services/api")


async def test_it_is_quiet_everywhere_else(session: Session) -> None:
    await session.begin(client_capabilities("visual-studio-code"))
    assert await session.hover("AGENTS.md", 4) is None
    assert await session.hover("AGENTS.md", 2, "Read") is None
    assert await session.hover("README.md", 0, "services/a") is None
    assert await session.hover("services/api/x.py", 0) is None
    assert await session.hover("AGENTS.md", 0) is not None
    gone = types.HoverParams(types.TextDocumentIdentifier("file:///nowhere/AGENTS.md"), types.Position(0, 0))
    assert await session.client.text_document_hover_async(gone) is None
    odd = types.HoverParams(types.TextDocumentIdentifier("untitled:AGENTS.md"), types.Position(0, 0))
    assert await session.client.text_document_hover_async(odd) is None
    far = types.HoverParams(
        types.TextDocumentIdentifier(path_to_uri(str(session.home.workspace / "AGENTS.md"))),
        types.Position(10**6, 10**6),
    )
    assert await session.client.text_document_hover_async(far) is None


async def test_a_skill_where_nobody_looks_for_it_says_so(session: Session) -> None:
    write(session.home.workspace, {"docs/x/SKILL.md": SKILL, "docs/skills/loose.md": "# Just a page\n"})
    await session.begin(client_capabilities("visual-studio-code"))
    assert "does not find it" in await session.text("docs/x/SKILL.md", 0)
    assert await session.hover("docs/skills/loose.md", 0) is None


async def test_a_client_without_markdown_gets_plain_text(session: Session) -> None:
    await session.begin(types.ClientCapabilities())
    found = await session.hover("AGENTS.md", 0)
    assert found and isinstance(found.contents, types.MarkupContent)
    assert found.contents.kind == types.MarkupKind.PlainText
    assert "`" not in found.contents.value and "*" not in found.contents.value
