"""`pi/skills` and `pi/rules/all` say where they did not look."""

from pathlib import Path

import msgspec
import pytest

from pi_lsp.api.rules import rules_all
from pi_lsp.api.skills import skills
from pi_lsp.resources import scan
from tests.support.editor import write
from tests.support.windows import Place

GOOD = "---\nname: {0}\ndescription: Does {0}.\n---\n"


async def test_a_limit_of_the_search_for_skills_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MAX_FOLDERS", 2)
    place = Place(tmp_path, sample=False)
    write(place.agent / "skills", {f"{name}/SKILL.md": GOOD.format(name) for name in "abc"})
    async with place.window() as window:
        found = await skills(window, None)
    assert [skill.name for skill in found.skills] == ["a"]
    assert found.problems == (f"{place.agent / 'skills'}: it has more than 2 folders; the others are not searched",)
    assert "problems" in msgspec.to_builtins(found)


async def test_patterns_that_the_index_does_not_use_are_told(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    write(place.workspace, {".gitignore": "*a*b*c*d*\n", "x/AGENTS.md": "X"})
    async with place.window() as window:
        found = await rules_all(window, None)
        assert [Path(file.uri).parent.name for file in found.files] == ["x"]
        [problem] = found.problems
        assert problem.startswith(f"{place.workspace}: patterns of its ignore files are not used: 1 with")
        write(place.workspace, {".gitignore": "*.log\n"})
        assert "problems" not in msgspec.to_builtins(await rules_all(window, None))
