"""The heads of image files."""

import base64
import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.context.picture import Picture, UnusableImageError, sniff
from tests.support.histories import png

JPEG_HEAD = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xd0\xff\xfe\x00\x06\xff\xc0\x00\x00"
JPEG = JPEG_HEAD + b"\xff\xc2\x00\x11\x08" + struct.pack(">HH", 7, 9) + b"\x03"


def webp(chunk: bytes, data: bytes) -> bytes:
    body = b"WEBP" + chunk + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (base64.b64decode(png(9, 7)), Picture("image/png", 9, 7)),
        (b"GIF89a" + struct.pack("<HH", 9, 7) + b"\0\0\0;", Picture("image/gif", 9, 7)),
        (JPEG, Picture("image/jpeg", 9, 7)),
        (webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 9, 7 | 0x4000)), Picture("image/webp", 9, 7)),
        (webp(b"VP8L", b"\x2f" + struct.pack("<I", 8 | 6 << 14)), Picture("image/webp", 9, 7)),
        (webp(b"VP8X", b"\0\0\0\0\x08\0\0\x06\0\0"), Picture("image/webp", 9, 7)),
    ],
)
def test_kind_and_size(data: bytes, expected: Picture) -> None:
    assert sniff(data) == expected


@pytest.mark.parametrize(
    "data",
    [b"", b"<svg/>", JPEG[:-6], JPEG[:12], webp(b"ODD ", b"12345678"), webp(b"VP8X", b"\0" * 10)[:-4], b"GIF89a\0"],
)
def test_what_cannot_be_read_is_refused(data: bytes) -> None:
    with pytest.raises(UnusableImageError):
        sniff(data)


@given(
    st.sampled_from([b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"GIF89a", b"RIFF\0\0\0\0WEBPVP8 ", b"\xff\xd8\xff"]),
    st.binary(),
)
def test_any_bytes_give_a_picture_or_a_refusal(head: bytes, rest: bytes) -> None:
    with contextlib.suppress(UnusableImageError):
        assert min(sniff(head + rest)[1:]) > 0
