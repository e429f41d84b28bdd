"""`pi/rules/session`: what the session was told of a rule file."""

from pathlib import Path

import pytest

from pi_lsp.agent.window import Window
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.api.restore import LoadParams, load_rules
from pi_lsp.api.rules import SessionRuleParams, rule_in_session
from pi_lsp.base.paths import path_to_uri
from tests.support.chats import talking
from tests.support.windows import Place


async def told(window: Window, path: Path) -> str:
    return (await rule_in_session(window, SessionRuleParams(uri=path_to_uri(str(path))))).text


async def test_R12_the_text_that_the_model_still_has(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        rules = talk.place.workspace / "AGENTS.md"
        rules.write_text("# One\n")
        with pytest.raises(RefusedError, match="nothing was said in it yet") as refusal:
            await told(talk.window, rules)
        assert refusal.value.reason == "notFound"
        await talk.say("hi")
        rules.write_text("# Two\n")
        assert await told(talk.window, rules) == "# One\n"
        rules.unlink()
        assert await told(talk.window, rules) == "# One\n"
        rules.write_text("# Two\n")
        await talk.say("go on")
        assert await told(talk.window, rules) == "# Two\n"


async def test_a_file_that_a_message_brought(tmp_path: Path) -> None:
    async with Place(tmp_path).window() as window:
        rules = tmp_path / "workspace" / "services" / "api" / "AGENTS.md"
        with pytest.raises(RefusedError, match="not told of this file"):
            await told(window, rules)
        await load_rules(window, LoadParams(uris=[path_to_uri(str(rules))]))
        before = rules.read_text()
        rules.write_text("changed")
        assert await told(window, rules) == before


async def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    async with Place(tmp_path).window() as window:
        with pytest.raises(ParamsError, match="untitled:x"):
            await rule_in_session(window, SessionRuleParams(uri="untitled:x"))
        with pytest.raises(RefusedError):
            await told(window, tmp_path)
