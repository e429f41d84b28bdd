import subprocess
import sys
import threading
import time

import pytest

from pi_lsp.context import tokens
from pi_lsp.context.estimate import TokenCounter


@pytest.fixture(scope="module")
def loaded() -> TokenCounter:
    return tokens.load()


def test_nothing_heavy_is_imported_and_bytes_serve_until_loaded() -> None:
    program = (
        "import sys\nfrom pi_lsp.context import tokens\n"
        "assert 'tiktoken' not in sys.modules and 'regex' not in sys.modules\n"
        "assert tokens.counter().text('日本') == 2 and tokens.counter() is tokens.BYTE_COUNTER\n"
        "counter = tokens.load()\nassert tokens.counter() is counter is tokens.load()"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_two_threads_load_one_counter() -> None:
    found: list[TokenCounter] = []
    threads = [threading.Thread(target=lambda: found.append(tokens.load())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and len(set(map(id, found))) == 1


def test_counts_of_the_vocabulary(loaded: TokenCounter) -> None:
    assert loaded.text("hello world") == 2
    assert loaded.text("") == 0
    message = {"role": "user", "content": [{"type": "text", "text": "hello world"}, {"type": "image"}]}
    assert loaded.message(message) == 1202


def test_names_of_special_tokens_are_text(loaded: TokenCounter) -> None:
    assert loaded.text("<|endoftext|>") > 1


def test_lone_surrogates_count(loaded: TokenCounter) -> None:
    assert 1 <= loaded.text("a\ud83d") <= 4
    assert tokens.BYTE_COUNTER.text("\ud83d") == 1


@pytest.mark.parametrize("character", ["x", " ", "\n", "=", "日", "\ud83d"])
def test_a_long_line_without_blanks_takes_linear_time(loaded: TokenCounter, character: str) -> None:
    text = character * 1_000_000
    began = time.process_time()
    assert loaded.text(text) > 1000
    assert time.process_time() - began < 3


def test_cutting_into_pieces_changes_next_to_nothing(loaded: TokenCounter) -> None:
    line = "The quick brown fox jumps over the lazy dog, again and again.\n"
    assert loaded.text(line * 5000) == pytest.approx(5000 * loaded.text(line), rel=0.001)


def test_a_known_text_is_not_encoded_again() -> None:
    asked: list[str] = []

    def encode(text: str) -> list[int]:
        asked.append(text)
        return [0] * len(text)

    counter = tokens._VocabularyCounter(encode)
    assert [counter.text("abc"), counter.text("abc"), counter.text("abd")] == [3, 3, 3]
    assert asked == ["abc", "abd"]


def test_the_memory_of_counts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_MOST_COUNTS", 10)
    counter = tokens._VocabularyCounter(lambda text: [0])
    for number in range(95):
        assert counter.text(str(number)) == 1
    assert len(counter._counts) <= 10


@pytest.mark.parametrize(("size", "count"), [(0, 0), (1, 1), (4, 1), (5, 2)])
def test_bytes_alone(size: int, count: int) -> None:
    assert tokens.tokens_of_bytes(size) == count
