from pathlib import Path

from pi_lsp.base.files import Disk, Overlay
from pi_lsp.resources.system_files import load_prompt_files


def put(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def find(root: Path, trusted: bool = True, prompt: str | None = None, append: list[str] | None = None):
    return load_prompt_files(
        Disk(),
        str(root / "p"),
        str(root / "agent"),
        trusted=trusted,
        system_prompt=prompt,
        append_system_prompt=append,
        context_files=False,
    )


def test_only_a_trusted_project_s_file_goes_before_the_user_s(tmp_path: Path):
    project = put(tmp_path / "p/.pi/SYSTEM.md", "project")
    user = put(tmp_path / "agent/SYSTEM.md", "user")
    assert find(tmp_path).system_prompt_source == project
    assert find(tmp_path, trusted=False).system_prompt_source == user


def test_an_unsaved_system_prompt_counts(tmp_path: Path):
    path = str(tmp_path / "p/.pi/SYSTEM.md")
    files = Overlay(Disk(), {path: "draft"})
    found = load_prompt_files(files, str(tmp_path / "p"), str(tmp_path / "agent"), trusted=True)
    assert (found.system_prompt, found.system_prompt_source) == ("draft", path)


def test_texts_given_by_the_user_replace_what_would_be_found(tmp_path: Path):
    put(tmp_path / "p/.pi/APPEND_SYSTEM.md", "found")
    extra = put(tmp_path / "p/extra.md", "\ufefffrom a file")
    given = find(tmp_path, append=["literal", "extra.md", ""])
    assert given.append == ("literal", "from a file")
    assert given.append_sources == (extra,)
    assert find(tmp_path).append == ("found",)
    assert find(tmp_path, append=[]).append == ()


def test_an_empty_given_prompt_means_none_and_an_empty_file_is_found(tmp_path: Path):
    path = put(tmp_path / "p/.pi/SYSTEM.md", "")
    assert (find(tmp_path, prompt="").system_prompt, find(tmp_path, prompt="").system_prompt_source) == (None, None)
    assert (find(tmp_path).system_prompt, find(tmp_path).system_prompt_source) == ("", path)


def test_a_folder_of_that_name_is_told_about(tmp_path: Path):
    (tmp_path / "p/.pi/SYSTEM.md").mkdir(parents=True)
    found = find(tmp_path)
    assert found.system_prompt == found.system_prompt_source == str(tmp_path / "p/.pi/SYSTEM.md")
    assert len(found.warnings) == 1 and found.warnings[0].startswith(str(tmp_path / "p/.pi/SYSTEM.md"))


def test_texts_that_cannot_be_paths_are_texts(tmp_path: Path):
    for text in ("a\0b", "x" * 10_000, "line\nline", "\ud800"):
        assert find(tmp_path, prompt=text).system_prompt == text


def test_rule_files_come_along_unless_they_are_turned_off(tmp_path: Path):
    path = put(tmp_path / "p/AGENTS.md", "rule")
    found = load_prompt_files(Disk(), str(tmp_path / "p"), str(tmp_path / "agent"), trusted=False)
    assert found.context_files[-1].path == path
    assert find(tmp_path).context_files == ()


def test_a_file_with_a_slash_behind_it_is_none(tmp_path: Path):
    given = put(tmp_path / "f.md", "text") + "/"
    found = find(tmp_path, prompt=given)
    assert (found.system_prompt, found.system_prompt_source) == (given, None)
