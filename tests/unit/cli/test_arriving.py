from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.cli.show.arriving import Arriving, show_shortened
from tests.unit.cli.screens import screen, shown

TEXTS = st.text("ab 日🎉\n", max_size=300)


def arrived(pieces: list[str], limit: int) -> list[str]:
    page = screen()
    arriving = Arriving(page, limit)
    for piece in pieces:
        arriving.add(piece)
    arriving.end()
    return shown(page)


@given(st.lists(TEXTS, max_size=20), st.integers(0, 8))
def test_it_does_not_matter_in_which_pieces_a_text_comes(pieces: list[str], limit: int) -> None:
    assert arrived(pieces, limit) == arrived(["".join(pieces)], limit)


def test_a_line_is_shown_as_soon_as_it_is_full() -> None:
    page = screen()
    arriving = Arriving(page, 8)
    arriving.add("one\ntw")
    assert shown(page) == ["  one"]
    arriving.add("o")
    arriving.end()
    arriving.end()
    assert shown(page)[-1] == "  two"


def test_what_is_beyond_the_limit_is_counted() -> None:
    page = screen()
    show_shortened(page, "1\n2\n3\n4", 2)
    assert shown(page) == ["  1", "  2", "  … 2 more lines"]
