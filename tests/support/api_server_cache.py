"""What a request is made of, in the order in which the provider's cache and its signatures see it."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

LOOKBACK = 20
"""So many blocks before a breakpoint the provider looks for something it has stored."""


class Piece(NamedTuple):
    digest: str
    """Of everything up to here, cache marks left out."""
    block: dict[str, Any]
    tokens: int
    marked: bool


def digest_of(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def pieces(body: dict[str, Any]) -> list[Piece]:
    """The tools, the system prompt, then the blocks of all messages, each with the digest of its prefix."""
    found: list[Piece] = []
    digest = ""
    for place, block in _blocks(body):
        bare = json.dumps({key: value for key, value in block.items() if key != "cache_control"}, sort_keys=True)
        digest = digest_of(digest, place, bare)
        found.append(Piece(digest, block, max(1, len(bare) // 4), "cache_control" in block))
    return found


def _blocks(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for tool in body.get("tools", []):
        yield "tool", tool
    system = body.get("system", [])
    for block in [{"type": "text", "text": system}] if isinstance(system, str) else system:
        yield "system", block
    for message in body["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            yield message["role"], block


class Cache:
    """Of one server, kept apart by model and by how long the model thinks; nothing in it ever expires."""

    def __init__(self) -> None:
        self._stored: set[str] = set()

    def usage(self, body: dict[str, Any]) -> dict[str, int]:
        """The input tokens of a request by how they are billed; stores what its breakpoints ask for."""
        all_pieces = pieces(body)
        marks = [place for place, piece in enumerate(all_pieces) if piece.marked]
        mode = json.dumps([body["model"], body.get("thinking"), body.get("output_config")], sort_keys=True)
        keys = [digest_of(mode, piece.digest) for piece in all_pieces]
        near = {place for mark in marks for place in range(max(0, mark - LOOKBACK), mark + 1)}
        read_to = max((place for place in near if keys[place] in self._stored), default=-1)
        self._stored |= {keys[mark] for mark in marks}
        total = sum(piece.tokens for piece in all_pieces)
        read = sum(piece.tokens for piece in all_pieces[: read_to + 1])
        upto = sum(piece.tokens for piece in all_pieces[: marks[-1] + 1]) if marks else 0
        written = max(0, upto - read)
        return {
            "input_tokens": total - read - written,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": read,
        }
