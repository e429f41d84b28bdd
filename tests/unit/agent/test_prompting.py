"""The user's message: expansion, references, images."""

import base64
import struct
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent.events import Warned
from pi_lsp.agent.prompting import Image, PromptError, Reference, check_image, excerpt, user_prompt
from pi_lsp.agent.window import Window
from pi_lsp.base.files import Disk, Overlay
from pi_lsp.base.paths import path_to_uri
from pi_lsp.context.explain_hits import Position, Range
from pi_lsp.context.picture import UnusableImageError
from pi_lsp.session.messages import blocks_of, text_of
from tests.support.windows import Place
from tests.unit.agent.talk import named, recorded


def png(width: int = 2, height: int = 2) -> str:
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x02\0\0\0" + b"\0" * 4
    return base64.b64encode(head + b"\0\0\0\0IEND\xaeB`\x82").decode()


def lines(first: int, last: int, character: int = 0) -> Range:
    return Range(start=Position(line=first, character=0), end=Position(line=last, character=character))


async def texts(window: Window, text: str, **fields: Any) -> list[str]:
    return [block["text"] for block in blocks_of(await user_prompt(window, text, **fields))]  # type: ignore[misc]


async def test_a_skill_is_expanded_and_its_arguments_follow(tmp_path: Path) -> None:
    async with Place(tmp_path).window() as window:
        message = await user_prompt(window, "/skill:review the calendar")
        assert text_of(message).startswith('<skill name="review" location="')
        assert text_of(message).endswith("</skill>\n\nthe calendar")
        assert message["role"] == "user"


async def test_a_template_is_expanded(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    (place.agent / "prompts").mkdir()
    (place.agent / "prompts" / "fix.md").write_text("Fix $1 in $2, please.")
    async with place.window() as window:
        assert await texts(window, '/fix "the bug" b.py') == ["Fix the bug in b.py, please."]
        assert await texts(window, "a /fix in the middle") == ["a /fix in the middle"]


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("/skill:reviev x", "“reviev”: the text was sent as it was typed. Did you mean /skill:review?"),
        ("/skill:zzz\nx y", "“zzz x”: the text was sent as it was typed."),
        ("/skill:", "“”: the text was sent as it was typed."),
        ("/skill:" + "r" * 5000, "r…”: the text was sent as it was typed."),
    ],
)
async def test_R13_an_unknown_skill_stays_what_was_typed_and_the_nearest_is_told(
    tmp_path: Path, text: str, warning: str
) -> None:
    async with Place(tmp_path).window() as window:
        events = recorded(window)
        assert await texts(window, text) == [text]
        [told] = named(events, Warned)
        assert told.message.startswith("No skill is called “")
        assert told.message.endswith(warning)
        assert len(told.message) < 200


async def test_no_other_text_is_warned_of(tmp_path: Path) -> None:
    async with Place(tmp_path).window() as window:
        events = recorded(window)
        for text in ("/nothing", "/skill:review x", "say /skill:reviev", "/skills:reviev"):
            await texts(window, text)
        assert events == []


async def test_skill_commands_can_be_turned_off(tmp_path: Path) -> None:
    async with Place(tmp_path).window(settings={"enableSkillCommands": False}) as window:
        events = recorded(window)
        for text in ("/skill:review", "/skill:reviev"):
            assert await texts(window, text) == [text]
        assert events == []


async def test_references_become_blocks_as_the_editor_has_them(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    path = place.workspace / "a.py"
    path.write_text("one\ntwo\nthree\nfour\n")
    uri = path_to_uri(str(path))
    async with place.window() as window:
        shown = await texts(window, "look", references=[Reference(uri=uri), Reference(uri=uri, range=lines(1, 2, 3))])
        assert shown[1:] == [
            f'<file path="{path}" lines="1-4">\none\ntwo\nthree\nfour\n</file>',
            f'<file path="{path}" lines="2-3">\ntwo\nthree\n</file>',
        ]
        window.set_buffer(str(path), "typed, not saved")
        assert "typed, not saved" in (await texts(window, "", references=[Reference(uri=uri)]))[0]


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        (lines(0, 1), "1-1"),  # a selection of the whole first line ends in front of the second
        (lines(0, 0, 2), "1-1"),
        (lines(1, 1), "2-2"),
        (lines(0, 99, 9), "1-3"),
        (lines(50, 99), "3-3"),
        (lines(2, 0), "3-3"),
        (lines(-5, -1), "1-1"),
    ],
)
def test_the_lines_of_a_range(tmp_path: Path, wanted: Range, shown: str) -> None:
    path = tmp_path / "a"
    path.write_text("a\nb\nc\n")
    block = excerpt(Disk(), Reference(uri=path_to_uri(str(path)), range=wanted))
    assert f'lines="{shown}"' in block


def test_a_long_file_is_cut_as_a_read_is_and_says_how_to_go_on() -> None:
    files = Overlay(Disk(), {"/many": "x\n" * 5000, "/wide": "y" * 60_000, "/broad": ("z" * 99 + "\n") * 1000})
    assert excerpt(files, Reference(uri="file:///many")).endswith(
        "\nx\n\n[Showing lines 1-2000 of 5000. Use offset=2001 to continue.]\n</file>"
    )
    assert excerpt(files, Reference(uri="file:///many", range=lines(100, 4000))).endswith(
        "[Showing lines 101-2100 of 4000. Use offset=2101 to continue.]\n</file>"
    )
    assert excerpt(files, Reference(uri="file:///wide")).endswith("[Line 1 is 58.6KB, exceeds 50.0KB limit.]\n</file>")
    assert "of 1000 (50.0KB limit). Use offset=" in excerpt(files, Reference(uri="file:///broad"))


async def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    (place.workspace / "b").write_bytes(b"\0\1\2")
    async with place.window() as window:
        with pytest.raises(PromptError) as wrong:
            await user_prompt(
                window,
                "x",
                [Image(data=png(), mime_type="image/png"), Image(data="%%%", mime_type="image/png")],
                [
                    Reference(uri="untitled:a"),
                    Reference(uri=path_to_uri(str(place.workspace))),
                    Reference(uri=path_to_uri(str(place.workspace / "nothing"))),
                    Reference(uri=path_to_uri(str(place.workspace / "b"))),
                ],
            )
        told = "\n".join(wrong.value.errors)
        assert [line.partition(":")[0] for line in wrong.value.errors] == [
            *[f"references[{place}]" for place in range(4)],
            "images[1]",
        ]
        assert "names no file" in told
        assert "is a folder" in told
        assert "cannot be read" in told
        assert "is no text file" in told
        assert "not base64" in told


@pytest.mark.parametrize("text", ["", "  \n", "\u00a0"])
async def test_nothing_is_no_message(tmp_path: Path, text: str) -> None:
    async with Place(tmp_path, sample=False).window() as window:
        with pytest.raises(PromptError, match="nothing to send"):
            await user_prompt(window, text)


async def test_an_image_alone_is_a_message(tmp_path: Path) -> None:
    async with Place(tmp_path, sample=False).window() as window:
        message = await user_prompt(window, "", [Image(data=png(), mime_type="image/png")])
        assert message["content"] == [{"type": "image", "data": png(), "mimeType": "image/png"}]


@pytest.mark.parametrize(
    ("data", "mime_type", "why"),
    [
        (png(), "image/jpeg", "its bytes are image/png"),
        (base64.b64encode(b"<svg/>").decode(), "image/svg+xml", "no PNG"),
        ("not base64!", "image/png", "not base64"),
        ("", "image/png", "no PNG"),
        (png(9000, 10), "image/png", "8000 pixels"),
        ("A" * (10 * 1024 * 1024 + 4), "image/png", "over 10 MB"),
    ],
)
def test_L4_an_image_that_would_be_refused_does_not_come_in(data: str, mime_type: str, why: str) -> None:
    with pytest.raises(UnusableImageError, match=why):
        check_image(Image(data=data, mime_type=mime_type))
