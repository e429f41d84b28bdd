"""What is refused of images and of breakpoints for the cache."""

import base64
import binascii
from collections.abc import Iterator

from pi_lsp.context.model import Model
from tests.support.strict_api_parts import Body, Rules, blocks_of

RULES = Rules()

_MEDIA = {"image/png", "image/jpeg", "image/gif", "image/webp"}


@RULES.add
def images(body: Body, model: Model) -> Iterator[str]:
    """image_media, _base64, _mismatch, _unreadable, _bytes, _8000, _2000, _count, and models that take none."""
    found = [(place, block["source"]) for place, _, block in blocks_of(body) if block["type"] == "image"]
    if found and not model.takes_images:
        yield "the model takes no images"
    if len(found) > 100:
        yield f"image_count: {len(found)}"
    most = 2000 if len(found) > 20 else 8000
    for place, source in found:
        if source["media_type"] not in _MEDIA:
            yield f"{place}: image_media {source['media_type']}"
        if len(source["data"]) > 10 * 1024 * 1024:
            yield f"{place}: image_bytes"
        try:
            raw = base64.b64decode(source["data"], validate=True)
        except (binascii.Error, ValueError):
            yield f"{place}: image_base64"
            continue
        kind, sides = _look(raw)
        if kind != source["media_type"]:
            yield f"{place}: image_mismatch {kind}"
        if not min(sides):
            yield f"{place}: image_unreadable"
        if max(sides) > most:
            yield f"{place}: image_{most} {sides}"


def _look(raw: bytes) -> tuple[str, tuple[int, int]]:
    """PNG and GIF are measured; JPEG and WebP are only recognised."""
    if raw[:4] == b"\x89PNG" and len(raw) >= 24:
        return "image/png", (int.from_bytes(raw[16:20], "big"), int.from_bytes(raw[20:24], "big"))
    if raw[:4] == b"GIF8" and len(raw) >= 10:
        return "image/gif", (int.from_bytes(raw[6:8], "little"), int.from_bytes(raw[8:10], "little"))
    if raw[:2] == b"\xff\xd8":
        return "image/jpeg", (1, 1)
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return "image/webp", (1, 1)
    return "nothing known", (0, 0)


@RULES.add
def cache(body: Body, model: Model) -> Iterator[str]:
    """cache_max, cache_type, cache_empty."""
    marked = [block for _, _, block in blocks_of(body)] + body.get("system", []) + body.get("tools", [])
    marked = [block for block in marked if "cache_control" in block]
    if len(marked) > 4:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {len(marked)}."
    for block in marked:
        if block["cache_control"].get("type") != "ephemeral" or set(block["cache_control"]) - {"type", "ttl"}:
            yield "cache_type"
        if block.get("type") == "text" and not block["text"].strip():
            yield "cache_empty"
