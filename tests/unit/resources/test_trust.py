import os
from pathlib import Path

import pytest

from pi_lsp.base.files import Disk
from pi_lsp.base.shared_file import FileLockedError
from pi_lsp.resources import trust
from pi_lsp.resources.trust import TrustEntry, TrustStoreError, TrustUpdate


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


def requires(cwd: Path) -> bool:
    return trust.requires(str(cwd), Disk())


def lookup(cwd: Path, agent: Path) -> TrustEntry | None:
    return trust.lookup(str(cwd), str(agent), Disk())


def save(agent: Path, *updates: tuple[Path, bool | None]) -> str:
    trust.save([TrustUpdate(path=str(path), decision=decision) for path, decision in updates], str(agent))
    return (agent / "trust.json").read_text()


@pytest.mark.parametrize("name", ["settings.json", "mcp.json", "SYSTEM.md", "APPEND_SYSTEM.md"])
def test_files_that_need_trust(name: str, tmp_path: Path) -> None:
    (tmp_path / "p" / ".pi").mkdir(parents=True)
    assert not requires(tmp_path / "p")
    (tmp_path / "p" / ".pi" / name).touch()
    assert requires(tmp_path / "p")
    assert not requires(tmp_path / "p" / "below")


def test_the_users_own_skills_need_no_trust_even_at_home(home: Path, tmp_path: Path) -> None:
    (home / ".agents" / "skills").mkdir(parents=True)
    (home / "p").mkdir()
    assert not requires(home)
    assert not requires(home / "p")
    (tmp_path / "link").symlink_to("home")
    assert not requires(tmp_path / "link" / "p")


def test_skills_above_the_real_folder_count(tmp_path: Path) -> None:
    (tmp_path / "real" / ".agents" / "skills").mkdir(parents=True)
    (tmp_path / "real" / "p").mkdir()
    (tmp_path / "link").symlink_to("real/p")
    assert requires(tmp_path / "link")


def test_a_dangling_link_needs_no_trust(tmp_path: Path) -> None:
    (tmp_path / ".pi").mkdir()
    (tmp_path / ".pi" / "SYSTEM.md").symlink_to("nowhere")
    assert not requires(tmp_path)


def test_a_decision_holds_below_until_a_nearer_one(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    (tmp_path / "p" / "q").mkdir(parents=True)
    save(agent, (tmp_path / "p", True), (tmp_path / "p" / "q", False))
    assert lookup(tmp_path / "p", agent) == TrustEntry(path=str(tmp_path / "p"), decision=True)
    assert lookup(tmp_path / "p" / "q", agent) == TrustEntry(path=str(tmp_path / "p" / "q"), decision=False)
    assert lookup(tmp_path, agent) is None


def test_decisions_are_stored_and_found_by_the_real_path(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "link").symlink_to("p")
    text = save(tmp_path / "agent", (tmp_path / "link", True))
    assert text == f'{{\n  "{tmp_path}/p": true\n}}\n'
    assert lookup(tmp_path / "link", tmp_path / "agent") is not None


def test_two_spellings_of_a_path_are_one_decision(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.mkdir()
    (tmp_path / "p").mkdir()
    (agent / "trust.json").write_text(f'{{"{tmp_path}/p/": false, "{tmp_path}/x/../p": true}}')
    assert lookup(tmp_path / "p", agent) == TrustEntry(path=f"{tmp_path}/p/", decision=False)
    assert save(agent, (tmp_path / "p", None)) == "{}\n"


def test_what_is_stored_for_others_stays(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.mkdir()
    (agent / "trust.json").write_text('\ufeff{"/z": null, "/\uff5e": false, "/\U0001f600": true}')
    assert save(agent, (Path("/a"), True)) == (
        '{\n  "/a": true,\n  "/z": null,\n  "/\U0001f600": true,\n  "/\uff5e": false\n}\n'
    )


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"/x": "yes"}', '{"/x": 1}', "\xff"])
def test_a_broken_store_is_named_and_never_overwritten(text: str, tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.mkdir()
    (agent / "trust.json").write_text(text, encoding="latin-1")
    with pytest.raises(TrustStoreError, match=r"trust\.json"):
        lookup(tmp_path, agent)
    with pytest.raises(TrustStoreError, match=r"trust\.json"):
        save(agent, (tmp_path, True))
    assert (agent / "trust.json").read_text(encoding="latin-1") == text
    assert os.listdir(agent) == ["trust.json"]


def test_a_store_that_is_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "trust.json").mkdir()
    with pytest.raises(TrustStoreError, match=r"trust\.json"):
        lookup(tmp_path, tmp_path)


def test_looking_makes_nothing(tmp_path: Path) -> None:
    assert lookup(tmp_path, tmp_path / "agent") is None
    assert not (tmp_path / "agent").exists()


def test_while_pi_writes_the_store_we_do_not(tmp_path: Path) -> None:
    (tmp_path / "trust.json.lock").mkdir()
    with pytest.raises(FileLockedError, match=r"trust\.json"):
        save(tmp_path, (tmp_path, True))
    assert not (tmp_path / "trust.json").exists()


def test_a_nul_in_a_path_is_no_crash(tmp_path: Path) -> None:
    assert not trust.requires("/a\0b", Disk())
    assert trust.lookup("/a\0b", str(tmp_path), Disk()) is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"needed": True}, None),
        ({"needed": False}, True),
        ({"needed": False, "saved": False}, False),
        ({"needed": False, "default": "never"}, True),
        ({"needed": True, "saved": True, "default": "never"}, True),
        ({"needed": True, "saved": True, "override": False}, False),
        ({"needed": False, "override": False}, False),
        ({"needed": True, "default": "always"}, True),
        ({"needed": True, "default": "never"}, False),
    ],
)
def test_the_order_of_decisions(given: dict[str, bool], expected: bool | None) -> None:
    assert trust.decide(**given) is expected  # pyright: ignore[reportArgumentType]
