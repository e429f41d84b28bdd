"""A look at the files of a window."""

from pathlib import Path

from tests.support.windows import Place


async def test_a_look_reads_each_thing_once_and_the_next_one_anew(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    rules, settings = place.workspace / "AGENTS.md", place.agent / "settings.json"
    rules.write_text("old")
    settings.write_text('{"steeringMode": "all"}')
    async with place.window() as window:
        now = window.now()
        assert [file.content for file in now.parts.context_files] == ["old"]
        assert now.settings.steering_mode == "all"
        rules.write_text("new")
        settings.write_text("{}")
        assert [file.content for file in now.parts.context_files] == ["old"]
        assert now.settings.steering_mode == "all"
        assert [file.content for file in window.now().parts.context_files] == ["new"]
        assert window.now().settings.steering_mode == "one-at-a-time"


async def test_what_is_not_asked_for_is_not_read(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    rules = place.workspace / "AGENTS.md"
    async with place.window() as window:
        now = window.now()
        assert now.trust.trusted
        rules.write_text("written since")
        assert [file.content for file in now.parts.context_files] == ["written since"]
