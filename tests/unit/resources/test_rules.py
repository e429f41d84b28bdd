import os
from pathlib import Path

import pytest

from pi_lsp.base.files import Disk, Kind, Overlay
from pi_lsp.resources.rules import RuleFile, chain, lineage, load, load_folder, survey


def put(path: Path, text: str = "x") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


def rules(root: Path, directory: Path) -> list[RuleFile]:
    """The chain below a test's own folder; what lies above it on this machine is none of its business."""
    return [
        record for record in chain(Disk(), str(directory), str(root / "agent")) if record.path.startswith(str(root))
    ]


def brief(root: Path, records: list[RuleFile]) -> list[tuple[str, str]]:
    return [(os.path.relpath(record.path, root), record.reason or "loaded") for record in records]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path))


def test_lineage_goes_from_the_root_down():
    assert lineage("/a/b") == ["/", "/a", "/a/b"]
    assert lineage("/") == ["/"]


def test_R1_every_weaker_file_of_a_folder_is_shadowed_and_says_by_whom(root: Path):
    winner = put(root / "w/AGENTS.md")
    put(root / "w/CLAUDE.md")
    put(root / "w/CLAUDE.MD")
    records = rules(root, root / "w")
    assert brief(root, records) == [
        ("w/AGENTS.md", "loaded"),
        ("w/CLAUDE.md", "shadowed"),
        ("w/CLAUDE.MD", "shadowed"),
    ]
    assert [record.by for record in records] == [None, winner, winner]
    put(root / "w/AGENTS.override.md")
    assert brief(root, rules(root, root / "w"))[:2] == [("w/AGENTS.override.md", "loaded"), ("w/AGENTS.md", "shadowed")]


def test_a_shadowed_file_is_still_read_so_that_its_size_can_be_shown(root: Path):
    put(root / "w/AGENTS.md")
    put(root / "w/CLAUDE.md", "# Old rules\n\nMore\n")
    shadowed = rules(root, root / "w")[1]
    assert (shadowed.text.title, shadowed.text.lines, shadowed.text.bytes) == ("Old rules", 3, 18)


def test_R3_files_below_the_working_directory_are_told_and_not_loaded(root: Path):
    put(root / "w/AGENTS.md")
    put(root / "w/api/AGENTS.md")
    put(root / "w/api/CLAUDE.md")
    put(root / "w/api/v1/AGENTS.md")
    folders = [str(root / name) for name in ("w/api/v1", "w/api", "w")]
    records = [r for r in survey(Disk(), str(root / "w"), str(root / "agent"), folders) if r.path.startswith(str(root))]
    assert [(os.path.relpath(r.path, root), r.scope, r.reason) for r in records] == [
        ("w/AGENTS.md", "directory", None),
        ("w/api/AGENTS.md", "nested", "belowCwd"),
        ("w/api/CLAUDE.md", "nested", "shadowed"),
        ("w/api/v1/AGENTS.md", "nested", "belowCwd"),
    ]
    assert not any(record.loaded for record in records[1:])
    assert [record.path for record in rules(root, root / "w")] == [str(root / "w/AGENTS.md")]


def test_survey_lists_a_folder_that_is_named_twice_once(root: Path):
    put(root / "w/AGENTS.md")
    folder = str(root / "w")
    records = survey(Disk(), folder, str(root / "agent"), [folder, *lineage(folder), folder])
    assert [record.path for record in records].count(str(root / "w/AGENTS.md")) == 1


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("agents.md", "AGENTS.md"),
        ("Agents.md", "AGENTS.md"),
        ("AGENT.md", "AGENTS.md"),
        ("claude.md", "CLAUDE.md"),
        ("AGENTS.OVERRIDE.md", "AGENTS.override.md"),
    ],
)
def test_R4_a_name_in_other_letters_is_told_with_the_right_one(root: Path, name: str, meant: str):
    put(root / "w" / name)
    put(root / "w/AGENTS.MD")
    records = rules(root, root / "w")
    assert brief(root, records) == [("w/AGENTS.MD", "loaded"), (f"w/{name}", "otherCase")]
    assert meant in (records[1].detail or "")


def test_R4_a_page_about_agents_is_no_rule_file(root: Path):
    put(root / "w/agent.md")
    assert rules(root, root / "w") == []


def test_R4_a_folder_in_other_letters_is_nobody_s_rule_file(root: Path):
    (root / "w/agents.md").mkdir(parents=True)
    assert rules(root, root / "w") == []


class CaseBlindDisk(Disk):
    """A disk that finds a name in any case, as those of macOS and Windows do."""

    def _stored(self, path: str) -> str:
        folder, name = os.path.split(path)
        return next(
            (os.path.join(folder, stored) for stored in self.names(folder) if stored.lower() == name.lower()), path
        )

    def kind(self, path: str) -> Kind | None:
        return super().kind(self._stored(path))

    def read(self, path: str) -> bytes:
        return super().read(self._stored(path))


def test_R4_on_a_disk_that_ignores_case_such_a_file_is_loaded_and_listed_once(root: Path):
    put(root / "w/agents.md", "found")
    put(root / "v/AGENTS.md")
    records = [r for r in chain(CaseBlindDisk(), str(root / "w"), str(root / "agent")) if r.path.startswith(str(root))]
    assert brief(root, records) == [("w/AGENTS.md", "loaded")]
    assert records[0].text.content == "found"
    records = [r for r in chain(CaseBlindDisk(), str(root / "v"), str(root / "agent")) if r.path.startswith(str(root))]
    assert brief(root, records) == [("v/AGENTS.md", "loaded")]


def test_R5_a_link_to_the_neighbour_is_shadowed_by_it(root: Path):
    winner = put(root / "w/AGENTS.md")
    os.symlink("AGENTS.md", root / "w/CLAUDE.md")
    link = rules(root, root / "w")[1]
    assert (link.reason, link.by, link.real_path) == ("shadowed", winner, winner)


def test_R5_a_file_reached_by_two_paths_is_loaded_twice_as_pi_does_and_says_so(root: Path):
    first = put(root / "w/AGENTS.md", "rule")
    (root / "w/a").mkdir()
    os.symlink("../AGENTS.md", root / "w/a/CLAUDE.md")
    records = rules(root, root / "w/a")
    assert [(r.loaded, r.reason, r.by) for r in records] == [(True, None, None), (True, "duplicate", first)]
    assert [file.content for file in load(Disk(), str(root / "w/a"), str(root / "agent")).files].count("rule") == 2


def test_R5_a_folder_reached_through_a_link_to_its_parent_is_a_duplicate(root: Path):
    first = put(root / "w/AGENTS.md")
    os.symlink(".", root / "w/again")
    assert [(r.reason, r.by) for r in rules(root, root / "w/again")] == [(None, None), ("duplicate", first)]


def test_R5_what_is_no_file_says_what_it_is_and_the_next_name_is_taken(root: Path):
    w = root / "w"
    (w / "AGENTS.md").mkdir(parents=True)
    os.symlink("nowhere", w / "AGENTS.override.md")
    os.symlink("AGENTS.MD", w / "AGENTS.MD")
    put(w / "CLAUDE.md")
    os.mkfifo(w / "CLAUDE.MD")
    records = rules(root, w)
    assert brief(root, records) == [
        ("w/AGENTS.override.md", "notAFile"),
        ("w/AGENTS.md", "notAFile"),
        ("w/AGENTS.MD", "notAFile"),
        ("w/CLAUDE.md", "loaded"),
        ("w/CLAUDE.MD", "notAFile"),
    ]
    assert [record.detail for record in records] == [
        f"a link to {w}/nowhere, which does not exist",
        "a folder",
        "a link that leads back to itself",
        None,
        "neither a file nor a folder",
    ]


def test_R5_two_links_that_lead_to_each_other_are_a_loop(root: Path):
    os.makedirs(root / "w")
    os.symlink("CLAUDE.md", root / "w/AGENTS.md")
    os.symlink("AGENTS.md", root / "w/CLAUDE.md")
    assert {record.detail for record in rules(root, root / "w")} == {"a link that leads back to itself"}


def test_R5_a_link_to_a_folder_names_the_folder(root: Path):
    os.makedirs(root / "w/docs")
    os.symlink("docs", root / "w/AGENTS.md")
    assert rules(root, root / "w")[0].detail == f"a link to the folder {root}/w/docs"


def test_R6_a_mark_at_the_start_is_dropped_and_bad_bytes_are_reported(root: Path):
    put(root / "w/AGENTS.md")
    (root / "w/AGENTS.md").write_bytes(b"\xef\xbb\xbf# Gr\xfc\xdfe\r\n")
    record = rules(root, root / "w")[0]
    assert record.text.content == "# Gr\ufffd\ufffde\r\n"
    assert record.text.title == "Gr\ufffd\ufffde"
    assert record.text.bad_byte == 7


def test_R7_reading_order_is_global_then_root_to_leaf(root: Path):
    for folder in ("agent", ".", "w", "w/a", "w/a/b"):
        put(root / folder / "AGENTS.md")
    records = rules(root, root / "w/a")
    assert [(os.path.relpath(r.path, root), r.scope) for r in records] == [
        ("agent/AGENTS.md", "global"),
        ("AGENTS.md", "ancestor"),
        ("w/AGENTS.md", "ancestor"),
        ("w/a/AGENTS.md", "directory"),
    ]


def test_the_agent_folder_is_listed_once_where_it_lies_above(root: Path):
    put(root / "agent/AGENTS.md")
    put(root / "agent/CLAUDE.md")
    put(root / "agent/w/AGENTS.md")
    assert brief(root, rules(root, root / "agent/w")) == [
        ("agent/AGENTS.md", "loaded"),
        ("agent/CLAUDE.md", "shadowed"),
        ("agent/w/AGENTS.md", "loaded"),
    ]


def test_a_file_that_cannot_be_read_is_told_and_the_next_name_is_taken(root: Path):
    locked = put(root / "w/AGENTS.md")
    put(root / "w/CLAUDE.md", "second")

    class Locked(Disk):
        def read(self, path: str) -> bytes:
            if path == locked:
                raise PermissionError(13, "Permission denied", path)
            return super().read(path)

    loaded = load(Locked(), str(root / "w"), str(root / "agent"))
    assert loaded.files[-1].content == "second"
    assert loaded.warnings == (f"Could not read {locked}: Permission denied",)
    record = next(r for r in chain(Locked(), str(root / "w"), str(root / "agent")) if r.path == locked)
    assert (record.loaded, record.reason, record.text.bytes) == (False, "unreadable", 0)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="every folder opens to root")
def test_a_folder_that_can_be_entered_but_not_listed_gives_its_file(root: Path):
    put(root / "w/AGENTS.md", "inside")
    os.chmod(root / "w", 0o111)
    try:
        assert [record.text.content for record in rules(root, root / "w")] == ["inside"]
    finally:
        os.chmod(root / "w", 0o755)


def test_open_buffers_are_read_before_the_disk(root: Path):
    saved = put(root / "w/AGENTS.md", "saved")
    files = Overlay(Disk(), {saved: "unsaved", str(root / "w/a/CLAUDE.md"): "new"})
    contents = [file.content for file in load(files, str(root / "w/a"), str(root / "agent")).files]
    assert contents[-2:] == ["unsaved", "new"]


def test_hostile_paths_give_nothing(root: Path):
    for directory in (f"{root}/\0", f"{root}/" + "x" * 5000, f"{root}/\udcff"):
        assert rules(root, Path(directory)) == []


def test_load_folder_gives_the_winner_or_nothing(root: Path):
    assert load_folder(Disk(), str(root)) is None
    put(root / "CLAUDE.md", "c")
    found = load_folder(Disk(), str(root))
    assert found is not None
    assert (found.path, found.content) == (str(root / "CLAUDE.md"), "c")
