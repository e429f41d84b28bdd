"""The kind and the size of an image, read from the head of its file."""

import struct
from typing import NamedTuple

# Start-of-frame markers of JPEG; the codes between them mean something else.
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD9)})


class Picture(NamedTuple):
    """What the head of an image file says. Sides are pixels."""

    media_type: str
    width: int
    height: int


class UnusableImageError(ValueError):
    """The image would be refused; the message says why."""


def sniff(data: bytes) -> Picture:
    """The kind and size of an image, from its first bytes. Raises UnusableImageError where it is none we can send."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
            picture = Picture("image/png", *struct.unpack(">II", data[16:24]))
            whole = b"IEND" in data[-1024:]
        elif data.startswith((b"GIF87a", b"GIF89a")):
            picture, whole = Picture("image/gif", *struct.unpack("<HH", data[6:10])), True
        elif data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            picture = Picture("image/webp", *_webp_size(data))
            whole = int.from_bytes(data[4:8], "little") + 8 <= len(data)
        elif data.startswith(b"\xff\xd8\xff"):
            picture, whole = Picture("image/jpeg", *_jpeg_size(data)), True
        else:
            raise UnusableImageError("it is no PNG, JPEG, GIF or WebP")
    except (struct.error, IndexError):
        raise UnusableImageError("it cannot be read") from None
    if not whole or not picture.width or not picture.height:
        raise UnusableImageError("it cannot be read")
    return picture


def _jpeg_size(data: bytes) -> tuple[int, int]:
    position = 2
    while True:
        while data[position] != 0xFF:
            position += 1
        while data[position] == 0xFF:
            position += 1
        marker = data[position]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", data[position + 4 : position + 8])
            return width, height
        position += 1
        if marker not in _JPEG_BARE:
            position += max(2, int.from_bytes(data[position : position + 2], "big"))


def _webp_size(data: bytes) -> tuple[int, int]:
    match data[12:16]:
        case b"VP8X":
            return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            width, height = struct.unpack("<HH", data[26:30])
            return width & 0x3FFF, height & 0x3FFF
        case _:
            raise UnusableImageError("it cannot be read")
