import io

import pytest

from pi_lsp.cli.plain import clean
from pi_lsp.cli.show import screen as screen_module
from pi_lsp.cli.show.screen import plural
from tests.unit.cli.screens import screen


@pytest.mark.parametrize(
    ("place", "short"),
    [
        ("file:///work/a/b.md", "a/b.md"),
        ("/work", "."),
        ("/home/me/.pi/agent/AGENTS.md", "~/.pi/agent/AGENTS.md"),
        ("/home/me2/x", "/home/me2/x"),
        ("/workshop/x", "/workshop/x"),
        ("file:///work/a%20b/%E6%97%A5.md", "a b/日.md"),
        ("file:///work/a%1b%5Bm", "a␛[m"),
        ("relative", "relative"),
    ],
)
def test_a_path_is_as_short_as_it_stays_clear(place: str, short: str) -> None:
    assert screen().path(place) == short


def test_paths_in_a_sentence_are_shortened() -> None:
    assert screen().shorten("see /work/a.md, not /home/me/b.md or /workshop/c.md") == (
        "see a.md, not ~/b.md or /workshop/c.md"
    )
    assert screen(base="/").shorten("see /etc/x") == "see /etc/x"


def test_nothing_that_acts_on_a_terminal_gets_through() -> None:
    text = "".join(map(chr, range(0x100))) + "\u202e\u2066\u200e\ud800"
    out = clean(text)
    assert len(out) == len(text)
    assert all(
        character == "\n" or character.isprintable() or character == "\xa0" for character in out if character != "\xad"
    )
    assert clean("日本 é ✓\n") == "日本 é ✓\n"


def test_every_mark_has_a_plain_form_of_one_character(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, "ascii"))
    console = screen_module.standard_console()
    console.print("●○◐▸│├╰╴─…·→–—•█✓✗“”‘’日")
    console.file.flush()
    plain = raw.getvalue().decode()
    assert plain == "*o~>||`--.->--*#+x\"\"''?\n"


def test_counted_things() -> None:
    assert [plural(n, "entry") for n in (0, 1, 2)] == ["0 entries", "1 entry", "2 entries"]
    assert plural(1234, "branch") == "1,234 branches"
    assert plural(2, "token") == "2 tokens"


def test_a_dumb_terminal_is_as_wide_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdout", stream)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "60")
    assert screen_module.standard_console().width == 60
