"""Histories as no program should write them, for hypothesis: every role, every block, wrong types, bad images."""

import base64
import struct
import zlib
from typing import Any

from hypothesis import strategies as st

from pi_lsp.context.model import Model

PLAIN = Model(id="m", max_tokens=8192)
MODELS = [
    PLAIN,
    Model(id="m", max_tokens=64_000, reasoning=True),
    Model(id="m", max_tokens=1500, reasoning=True),
    Model(id="m", input=("text",)),
    Model(
        id="m",
        reasoning=True,
        adaptive_thinking=True,
        system_messages=True,
        thinking_levels={"off": None, "minimal": None, "xhigh": "xhigh", "max": "max"},
    ),
]


def png(width: int, height: int) -> str:
    """A PNG of that size, as base64. Its pixels are missing: nobody here decodes them."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IEND", b"")).decode()


def image(width: int = 10, height: int = 10, mime_type: str = "image/png") -> dict[str, Any]:
    return {"type": "image", "mimeType": mime_type, "data": png(width, height)}


_TEXTS = st.sampled_from(
    ["hi", "", " ", "\n", "\ufeff", "\x85", "a\0b", "\0", "x\ud83d", "\udc00", "😀", "end ", "No result provided"]
) | st.text(max_size=8)
_JUNK: st.SearchStrategy[Any] = st.none() | st.booleans() | st.integers() | _TEXTS | st.lists(_TEXTS, max_size=2)
_IDS = st.sampled_from(["a", "b", "a_2", "", "x.y", "é", "x" * 70, "x" * 65, "\0"])
_GIF = "R0lGODlhAQABAAAAADs=\n"
_SIDES = st.sampled_from([0, 1, 2001, 8001])
_IMAGES = st.builds(image, _SIDES, st.just(5), st.sampled_from(["image/png", "image/jpg"])) | st.fixed_dictionaries(
    {"type": st.just("image")},
    optional={"mimeType": st.sampled_from(["image/png", "image/tiff"]), "data": _JUNK | st.just(_GIF)},
)
_CALLS = st.fixed_dictionaries(
    {"type": st.just("toolCall"), "id": _IDS | _JUNK, "name": st.sampled_from(["read", "b.c", "", "n" * 200]) | _JUNK},
    optional={"arguments": _JUNK | st.dictionaries(_TEXTS, _JUNK, max_size=2), "thoughtSignature": _TEXTS},
)
_THINKING = st.fixed_dictionaries(
    {"type": st.just("thinking")},
    optional={"thinking": _TEXTS | st.none(), "thinkingSignature": _TEXTS | st.just("sig"), "redacted": st.booleans()},
)
_TEXT_BLOCKS = st.fixed_dictionaries({"type": st.just("text")}, optional={"text": _TEXTS | st.none()})
_BLOCKS = st.one_of(_TEXT_BLOCKS, _IMAGES, _CALLS, _THINKING, st.just({"type": "odd"}), st.just({}), _JUNK)
_CONTENT = st.lists(_BLOCKS, max_size=4) | _TEXTS | st.none()
_TOOLS = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(["read", "b.c", "b_c", ""]) | _JUNK},
        optional={
            "description": _JUNK,
            "parameters": _JUNK
            | st.just({"type": "string", "anyOf": [], "properties": {"p": 1, "q\0": {}}, "required": [1, "p", "p"]}),
        },
    )
    | _JUNK,
    max_size=3,
)

_USER = st.fixed_dictionaries({"role": st.just("user")}, optional={"content": _CONTENT, "timestamp": st.integers(0, 9)})
_ASSISTANT = st.fixed_dictionaries(
    {"role": st.just("assistant"), "content": _CONTENT},
    optional={
        "stopReason": st.sampled_from(["stop", "toolUse", "error", "aborted", "length"]),
        "provider": st.sampled_from(["anthropic", "other"]),
        "api": st.just("anthropic-messages"),
        "model": st.sampled_from(["m", "n"]),
    },
)
_OWN = st.fixed_dictionaries(
    {
        "role": st.just("assistant"),
        "content": st.lists(st.one_of(_TEXT_BLOCKS, _CALLS, _THINKING), max_size=4),
        "provider": st.just("anthropic"),
        "api": st.just("anthropic-messages"),
        "model": st.just("m"),
    }
)
_RESULT = st.fixed_dictionaries(
    {"role": st.just("toolResult"), "toolCallId": _IDS | _JUNK},
    optional={"toolName": _JUNK, "content": _CONTENT, "isError": st.booleans() | _JUNK},
)
_SYSTEM = st.fixed_dictionaries(
    {"role": st.just("system")},
    optional={
        "content": _TEXTS | st.lists(_TEXT_BLOCKS, max_size=2) | st.none(),
        "sections": st.dictionaries(st.sampled_from(["s", "t\0"]), _TEXTS | st.none(), max_size=2) | _JUNK,
        "toolsAdded": _TOOLS | _JUNK,
        "toolsRemoved": _TOOLS | _JUNK,
    },
)
_OTHERS = st.fixed_dictionaries(
    {"role": st.sampled_from(["custom", "bashExecution", "branchSummary", "compactionSummary", "odd"]) | _JUNK},
    optional={"content": _CONTENT, "summary": _JUNK, "command": _JUNK, "output": _JUNK, "exitCode": _JUNK},
)

MESSAGES = st.one_of(_USER, _ASSISTANT, _OWN, _OWN, _RESULT, _RESULT, _SYSTEM, _OTHERS)
HISTORIES = st.lists(MESSAGES, max_size=12)
