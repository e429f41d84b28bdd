import msgspec
import pytest

from pi_lsp.lsp.page import Page

MARKDOWN = Page(markdown=True, folders=(), home="/home/u")
PLAIN = msgspec.structs.replace(MARKDOWN, markdown=False)


@pytest.mark.parametrize("text", ["it is not loaded: it lies below", "a note (of two), done."])
def test_our_own_sentences_are_prose(text: str) -> None:
    assert MARKDOWN.prose(text) == text


@pytest.mark.parametrize("text", ["http://x", "mailto:x", "a:b", "www.x.y", "a: <b>", "*a*", "[a](b)", "a_b", "a\n# b"])
def test_what_could_mean_something_stands_in_a_code_span(text: str) -> None:
    assert MARKDOWN.prose(text) == MARKDOWN.code(text)


@pytest.mark.parametrize(("text", "fence"), [("a", "```"), ("a\n```\nb", "````"), ("`````", "``````")])
def test_a_block_ends_where_its_text_does(text: str, fence: str) -> None:
    assert MARKDOWN.block(text) == f"{fence}\n{text}\n{fence}"
    assert PLAIN.block(text) == text
