"""How Pi is fetched, without fetching it."""

import pytest

from tests.support.pi_install import NODE, PI, NoPiError, install


@pytest.fixture
def no_npm(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))


def test_what_is_there_is_not_fetched_again(no_npm, tmp_path):
    folder = tmp_path / "pi"
    folder.mkdir()
    (folder / ".ready").write_text(f"{NODE} {PI}")
    pi = install(folder)
    assert pi.node.is_relative_to(folder)
    assert pi.modules.parts[-4:] == ("node_modules", "@earendil-works", "pi-coding-agent", "dist")


def test_another_version_does_not_count(no_npm, tmp_path):
    folder = tmp_path / "pi"
    folder.mkdir()
    (folder / ".ready").write_text("node@1 pi@1")
    with pytest.raises(NoPiError, match="no npm"):
        install(folder)
