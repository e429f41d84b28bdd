"""The user's message: what was typed, expanded; the places in files that go with it; images that a model takes."""

import asyncio
import binascii
from collections.abc import Sequence

from pi_lsp.agent.events import Warned
from pi_lsp.agent.nested_rules import touch
from pi_lsp.agent.recording import now_ms
from pi_lsp.agent.window import Window
from pi_lsp.base.files import Files
from pi_lsp.base.json import Json
from pi_lsp.base.paths import uri_to_path
from pi_lsp.base.text import one_line
from pi_lsp.base.wire import Wire
from pi_lsp.context.clean import is_blank
from pi_lsp.context.explain_hits import Range
from pi_lsp.context.images import MAX_BASE64_BYTES, MAX_PIXELS
from pi_lsp.context.picture import UnusableImageError, sniff
from pi_lsp.context.truncate import MAX_BYTES, format_size, truncate_head
from pi_lsp.resources.skill_command import expand_skill_command
from pi_lsp.resources.skills import MAX_NAME_LENGTH
from pi_lsp.resources.templates import expand_template
from pi_lsp.session.messages import Message


class PromptError(Exception):
    """A prompt cannot be sent as it is; one line for each reason, with wire names."""

    def __init__(self, *errors: str) -> None:
        super().__init__("; ".join(errors))
        self.errors = list(errors)


class Image(Wire, frozen=True, kw_only=True):
    """An image of the user; `data` is base64."""

    data: str
    mime_type: str


class Reference(Wire, frozen=True, kw_only=True):
    """A place that the user shows the model: a file, or the lines of it that a range touches."""

    uri: str
    range: Range | None = None


async def user_prompt(
    window: Window, text: str, images: Sequence[Image] = (), references: Sequence[Reference] = ()
) -> Message:
    """The message: the text, a block for each reference, the images. Rules for the references come up, too.

    Raises:
        PromptError: there is nothing in it; a skill, a file or an image cannot be used.
        SessionError, OSError: rules that are loaded on touch could not be written.
    """
    for hook in window.talk.hooks.of("input"):
        changed = await hook.ask(text=text, cwd=window.place)
        if isinstance(changed, str):
            text = changed
        elif changed is not None:
            hook.complain("it did not give a text")
    if references or images or text.startswith("/"):
        message = await asyncio.to_thread(_message, window, text, images, references)
    else:  # nothing is read for it, and a thread would take longer
        message = _message(window, text, (), ())
    await touch(window, [path for reference in references if (path := uri_to_path(reference.uri))])
    return message


def _message(window: Window, text: str, images: Sequence[Image], references: Sequence[Reference]) -> Message:
    content: list[Json] = []
    errors: list[str] = []
    if not is_blank(text):
        try:
            content.append({"type": "text", "text": expand(window, text)})
        except PromptError as error:
            errors += error.errors
    for place, reference in enumerate(references):
        try:
            content.append({"type": "text", "text": excerpt(window.workspace.files, reference)})
        except PromptError as error:
            errors.append(f"references[{place}]: {error}")
    for place, image in enumerate(images):
        try:
            check_image(image)
        except UnusableImageError as error:
            errors.append(f"images[{place}]: {error}")
        content.append({"type": "image", "data": image.data, "mimeType": image.mime_type})
    if errors:
        raise PromptError(*errors)
    if not content:
        raise PromptError("text: there is nothing to send")
    return {"role": "user", "content": content, "timestamp": now_ms()}


def expand(window: Window, text: str) -> str:
    """The text with a call of a skill or of a template replaced by what it stands for.

    A name that nothing has stays as it is, as in Pi 1.6.0; of a skill the person is warned. Raises PromptError for one
    that cannot be read.
    """
    if not text.startswith("/"):
        return text
    trusted = window.trust().trusted
    if window.settings().enable_skill_commands:
        expansion = expand_skill_command(
            window.workspace.files, text, window.workspace.skills(window.place, trusted=trusted).skills
        )
        if expansion.error is not None:
            raise PromptError(f"text: {expansion.error}")
        if expansion.unknown is not None:
            window.emit(Warned(message=_unknown_skill(expansion.unknown, expansion.nearest)))
        text = expansion.text
    return expand_template(text, window.workspace.templates(window.place, trusted=trusted).templates)


def _unknown_skill(name: str, nearest: str | None) -> str:
    meant = f" Did you mean /skill:{nearest}?" if nearest else ""
    return f"No skill is called “{one_line(name, MAX_NAME_LENGTH)}”: the text was sent as it was typed.{meant}"


def excerpt(files: Files, reference: Reference) -> str:
    """What the model reads of a reference: the path, the lines, their text as the editor has it.

    It is cut as a `read` result is, and says so. Raises PromptError for what cannot be read.
    """
    path = uri_to_path(reference.uri)
    if path is None:
        raise PromptError(f"{reference.uri} names no file")
    if files.kind(path) == "dir":
        raise PromptError(f"{path} is a folder; name files")
    try:
        text = files.read(path).decode(errors="replace")
    except OSError as error:
        raise PromptError(f"{path} cannot be read: {error.strerror or error}") from None
    if "\0" in text:
        raise PromptError(f"{path} is no text file")
    lines = text.removesuffix("\n").split("\n")
    first, last = _lines(reference.range, len(lines))
    return f'<file path="{path}" lines="{first}-{last}">\n{_cut(lines, first, last)}\n</file>'


def _lines(wanted: Range | None, count: int) -> tuple[int, int]:
    """The first and the last line, counted from 1."""
    if wanted is None:
        return 1, count
    end = wanted.end.line
    if wanted.end.character == 0 and end > wanted.start.line:
        end -= 1  # the selection ends in front of that line
    first = min(max(wanted.start.line, 0) + 1, count)
    return first, min(max(end + 1, first), count)


def _cut(lines: Sequence[str], first: int, last: int) -> str:
    cut = truncate_head("\n".join(lines[first - 1 : last]))
    if not cut.truncated:
        return cut.content
    limit = format_size(MAX_BYTES)
    if cut.first_line_exceeds_limit:
        size = format_size(len(lines[first - 1].encode("utf-8", "surrogatepass")))
        return f"[Line {first} is {size}, exceeds {limit} limit.]"
    shown = first + cut.output_lines - 1
    why = f" ({limit} limit)" if cut.truncated_by == "bytes" else ""
    return f"{cut.content}\n\n[Showing lines {first}-{shown} of {last}{why}. Use offset={shown + 1} to continue.]"


def check_image(image: Image) -> None:
    """Whether a model would take an image; one bad image would have every later request refused.

    Raises:
        UnusableImageError: it would not; the message says why.
    """
    if len(image.data) > MAX_BASE64_BYTES:
        raise UnusableImageError(f"it is over {MAX_BASE64_BYTES >> 20} MB; make it smaller")
    try:
        raw = binascii.a2b_base64(image.data, strict_mode=True)
    except ValueError:
        raise UnusableImageError("its data is not base64") from None
    picture = sniff(raw)
    if picture.media_type != image.mime_type:
        raise UnusableImageError(f"its bytes are {picture.media_type}, but mimeType says {image.mime_type}")
    if max(picture.width, picture.height) > MAX_PIXELS:
        raise UnusableImageError(f"it is {picture.width}x{picture.height}, over {MAX_PIXELS} pixels a side")
