"""Images as the Messages API takes them; an image that would be refused is replaced by a note.

One bad image would otherwise have every later request of its session refused. Limits: Anthropic's documentation of
vision (jpeg, png, gif, webp; 10 MB of base64; 8,000 px a side, 2,000 px where there are more than 20; 100 in all).
"""

import binascii
from collections.abc import Iterator
from typing import NamedTuple

from pi_lsp.base.json import Json, as_str
from pi_lsp.context.model import Model
from pi_lsp.context.picture import Picture, UnusableImageError, sniff
from pi_lsp.context.trace import Traced, changed
from pi_lsp.session.messages import Block, Message

MAX_IMAGES = 100
MAX_BASE64_BYTES = 10 * 1024 * 1024
MAX_PIXELS = 8000
MANY_IMAGES = 20
MAX_PIXELS_AMONG_MANY = 2000
MAX_TOTAL_BASE64_BYTES = 24 * 1024 * 1024
"""Of all images of a request; the API takes 32 MB in all."""

_STEP = 20


class _Found(NamedTuple):
    """An image among the messages, with the block that may be sent for it or the reason why none may."""

    item: int
    block: int
    longest_side: int
    sendable: Block
    problem: str


def fit_images(traced: Traced, model: Model) -> Traced:
    """The messages with every image that would be refused replaced by a note.

    Where there are too many, the oldest go, and they go by twenties: the prefix that a provider has cached would
    otherwise change with every further image.
    """
    found = [image for index, item in enumerate(traced.items) for image in _images(index, item.message, model)]
    if not found:
        return traced
    items = list(traced.items)
    changes = list(traced.changes)
    blocks: dict[int, dict[int, Json]] = {}
    for image in _with_limits(found):
        block: Json = image.sendable
        if image.problem:
            block = {"type": "text", "text": f"[image left out: {image.problem}]"}
            changes.append(changed(items[image.item], "repair", f"an image was left out: {image.problem}"))
        blocks.setdefault(image.item, {})[image.block] = block
    for index, replaced in blocks.items():
        items[index] = items[index]._replace(message=_with_blocks(items[index].message, replaced))
    return Traced(items=items, changes=changes)


def _images(index: int, message: Message, model: Model) -> Iterator[_Found]:
    content = message.get("content")
    for position, block in enumerate(content if isinstance(content, list) else ()):
        if isinstance(block, dict) and block.get("type") == "image":
            try:
                sendable, picture = _usable(block, model)
                yield _Found(index, position, max(picture.width, picture.height), sendable, "")
            except UnusableImageError as error:
                yield _Found(index, position, 0, block, str(error))


def _usable(block: Block, model: Model) -> tuple[Block, Picture]:
    """The block with the media type that its bytes have, and what was read of it."""
    if not model.takes_images:
        raise UnusableImageError("the model takes no images")
    data = as_str(block.get("data"))
    try:
        raw = binascii.a2b_base64(data, strict_mode=True)
    except ValueError:
        data = "".join(data.split())
        try:
            raw = binascii.a2b_base64(data, strict_mode=True)
        except ValueError:
            raise UnusableImageError("its data is not base64") from None
    if len(data) > MAX_BASE64_BYTES:
        raise UnusableImageError(f"it is over {MAX_BASE64_BYTES >> 20} MB")
    picture = sniff(raw)
    if max(picture.width, picture.height) > MAX_PIXELS:
        raise UnusableImageError(f"it is {picture.width}x{picture.height}, over {MAX_PIXELS} pixels a side")
    if (block.get("mimeType"), block.get("data")) == (picture.media_type, data):
        return block, picture
    return {**block, "mimeType": picture.media_type, "data": data}, picture


def _with_limits(found: list[_Found]) -> list[_Found]:
    """The images with a problem added for those that a request cannot hold beside the others."""
    found = list(found)
    good = [place for place, image in enumerate(found) if not image.problem]
    kept = _newest(found, good)
    for place in good[: len(good) - len(kept)]:
        found[place] = found[place]._replace(problem="a request cannot hold so many images, and this is an older one")
    if len(kept) > MANY_IMAGES:
        for place in kept:
            if found[place].longest_side > MAX_PIXELS_AMONG_MANY:
                problem = f"a side is over {MAX_PIXELS_AMONG_MANY} pixels, too much beside {MANY_IMAGES} other images"
                found[place] = found[place]._replace(problem=problem)
    return found


def _newest(found: list[_Found], good: list[int]) -> list[int]:
    excess = max(0, len(good) - MAX_IMAGES)
    kept = good[-(-excess // _STEP) * _STEP :]
    total = 0
    for number, place in enumerate(reversed(kept)):
        total += len(as_str(found[place].sendable.get("data")))
        if total > MAX_TOTAL_BASE64_BYTES:
            return kept[len(kept) - number :]
    return kept


def _with_blocks(message: Message, replaced: dict[int, Json]) -> Message:
    content = message["content"]
    assert isinstance(content, list)
    return {**message, "content": [replaced.get(place, block) for place, block in enumerate(content)]}
