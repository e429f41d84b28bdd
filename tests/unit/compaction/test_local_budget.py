"""Lists that share a budget: counted here by characters, so that every boundary can be named."""

from pi_lsp.compaction.local_budget import Group, fit
from pi_lsp.session.messages import Message


class Characters:
    """A token is a character. Of an item, its newline counts, and two for each of its lines."""

    def text(self, text: str) -> int:
        return len(text)

    def message(self, message: Message) -> int:
        return 0


def fitted(budget: int, *groups: Group) -> list[tuple[list[str], int]]:
    fit(groups, budget, Characters())
    return [(group.items, group.left_out) for group in groups]


def group(*items: str, share: int = 100, newest_first: bool = True, pinned: tuple[int, ...] = ()) -> Group:
    return Group(what="left out", items=[*items], share=share, newest_first=newest_first, pinned=pinned)


def test_what_fits_to_the_last_token_stays() -> None:
    assert fitted(8, group("a", "b")) == [(["a", "b"], 0)]
    assert fitted(7, group("a", "b")) == [(["b"], 1)]
    assert fitted(7, group("a", "b", newest_first=False)) == [(["a"], 1)]
    assert fitted(7, group("a", "b", pinned=(0,))) == [(["a"], 1)]
    assert fitted(3, group("a", "b")) == [([], 2)]


def test_what_one_group_does_not_use_goes_to_the_others_in_their_order() -> None:
    few, many, more = group("a", share=50), group("b", "c", "d", share=25), group("e", "f", share=25)
    assert fitted(16, few, many, more) == [(["a"], 0), (["c", "d"], 1), (["f"], 1)]


def test_an_item_of_many_lines_that_does_not_fit_is_shown_by_its_first() -> None:
    item = "head\n- one\n- two"
    short = "head\n- (2 more lines left out)"
    whole, cut = len(item) + 1 + 6, len(short) + 1 + 4
    assert fitted(whole, group(item)) == [([item], 0)]
    long = item + "x" * 30
    assert fitted(cut, group(long)) == [([short], 0)]
    assert fitted(cut - 1, group(long)) == [([], 1)]
    assert fitted(cut, group("head\n- " + "x" * 60)) == [([], 1)]  # one line more is not left out for a note about it
    # Its place in short is kept for it, whatever others could do with the room.
    small = "z" * 10
    assert fitted(cut * 2, group(*[small] * 9, share=50), group(long, share=50)) == [([small] * 2, 7), ([short], 0)]
