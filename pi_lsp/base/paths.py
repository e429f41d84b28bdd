"""Paths and file URIs: the one place that turns either into the other, and what people type into paths.

Every function is pure and takes the flavour of paths it works on, so both are tested on any machine. A path that
comes out is absolute and normalised (no `.`, `..`, doubled or trailing separators), never resolved through links,
and keeps its Unicode form: on most disks the composed and the decomposed spelling are two files.
"""

import ntpath
import os
import posixpath
import re
import sys
from typing import Literal, TypeAlias
from urllib.parse import quote, unquote

from pi_lsp.base.json import to_utf8
from pi_lsp.base.text import JS_SPACE

Flavour: TypeAlias = Literal["posix", "windows"]

NATIVE: Flavour = "windows" if os.name == "nt" else "posix"

_EDGE = "".join(map(chr, range(0x21)))
"""What a URL may be padded with: control characters and blanks."""
_TYPED_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_BROKEN_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
_HOST = re.compile(r"[\w.-]+")
_DRIVE_HOST = re.compile("[A-Za-z]:")
_DRIVE_PATH = re.compile("/([A-Za-z]):(?=/|$)")
_SHELL_DRIVE = re.compile("/(?:mnt/|cygdrive/)?([A-Za-z])(/.*)?", re.DOTALL)


class FileUrlError(ValueError):
    """A `file://` URL that names no path here; the message says why."""


def uri_to_path(uri: str, flavour: Flavour = NATIVE) -> str | None:
    """The absolute path of a `file` URI, as editors write them; None for any other scheme and a path we cannot have.

    Lenient, since the text comes from a client: the scheme in any case, `%3A` or `:` behind a drive letter, escapes
    that are none stay as they are, bytes that are not UTF-8 become the surrogates that Python's file functions take.
    Drive letters come out in upper case, so that a folder has the same name in all of Pi's files.
    """
    scheme, colon, rest = uri.partition(":")
    if not colon or scheme.lower() != "file":
        return None
    host, path = (unquote(part, errors="surrogateescape") for part in _split(rest))
    if "\0" in path or (path and not path.startswith("/")):
        return None
    try:
        return _join(host, path, flavour)
    except FileUrlError:
        return None


def path_to_uri(path: str, flavour: Flavour = NATIVE) -> str:
    """The URI of an absolute path, spelled as VS Code does: drive letter in lower case, `:` as `%3A`."""
    if flavour == "posix":
        return "file://" + _quote(path)
    path = path.replace("\\", "/")
    if path.startswith("//"):
        return "file:" + _quote(path)
    return "file:///" + _quote(path[:1].lower() + path[1:])


def path_key(path: str, flavour: Flavour = NATIVE) -> str:
    """Equal for two spellings of an absolute path; Windows ignores case. For comparing only."""
    path = _normal(path, flavour)
    return path.lower() if flavour == "windows" else path


def can_exist(path: str) -> bool:
    """Whether a file could have this path at all: it holds no NUL and no half character."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def is_within(parent: str, child: str, flavour: Flavour = NATIVE) -> bool:
    """Whether a path is the folder itself or inside it. Relative ones start at the process's working directory."""
    parent, child = (path_key(absolute(path, flavour=flavour), flavour) for path in (parent, child))
    separator = _module(flavour).sep
    return child == parent or child.startswith(parent if parent.endswith(separator) else parent + separator)


def home_dir() -> str:
    """The user's home: `$HOME`, on Windows `%USERPROFILE%`, else what the system knows."""
    return os.path.expanduser("~")


def expand_home(text: str, home: str | None = None, flavour: Flavour = NATIVE) -> str:
    """The text with a leading `~` or `~/` replaced by the home folder; `~name` is left alone, as Pi does."""
    tail = text[1:]
    if not text.startswith("~") or not (tail == "" or tail[0] == "/" or (flavour == "windows" and tail[0] == "\\")):
        return text
    path = _module(flavour)
    home = home_dir() if home is None else home
    joined = path.join(home, tail.lstrip("\\/" if flavour == "windows" else "/")) if tail[1:] else home
    return joined if tail == "" or joined == "" else _normal(joined, flavour, keep_slash=True)


def from_input(
    text: str,
    *,
    home: str | None = None,
    expand_tilde: bool = True,
    trim: bool = False,
    strip_at: bool = False,
    plain_spaces: bool = False,
    flavour: Flavour = NATIVE,
) -> str:
    """What a path that somebody typed or set means, relative ones left relative; the steps are Pi 1.6.0's.

    In this order: white space around it goes (`trim`), the blanks of other scripts become plain ones
    (`plain_spaces`), one leading `@` goes (`strip_at`), `~` becomes the home folder, a `file://` URL (in lower case)
    its path.

    Raises:
        FileUrlError: a `file://` URL with a host, an escaped slash or a broken escape.
    """
    if trim:
        text = text.strip(JS_SPACE)
    if plain_spaces:
        text = _TYPED_SPACES.sub(" ", text)
    if strip_at:
        text = text.removeprefix("@")
    if expand_tilde:
        text = expand_home(text, home, flavour)
    if text.startswith("file://"):
        return _from_file_url(text, flavour)
    drive = _SHELL_DRIVE.fullmatch(text) if flavour == "windows" else None
    if drive:
        return f"{drive[1].upper()}:" + (drive[2] or "/").replace("/", "\\")
    return text


def absolute(path: str, base: str = "", flavour: Flavour = NATIVE) -> str:
    """The path, normalised and taken from `base`; a relative base starts at the process's working directory."""
    module = _module(flavour)
    joined = module.join(base, path)
    if flavour == "windows" or not joined.startswith("/"):  # asking for the working directory is slow
        joined = module.join(os.getcwd(), joined)
    return _normal(joined, flavour)


def resolve(text: str, base: str = "", *, home: str | None = None, flavour: Flavour = NATIVE) -> str:
    """The absolute path that a setting or an argument means; see `from_input`. An empty one is `base` itself.

    Raises:
        FileUrlError: as `from_input`.
    """
    path, base = (from_input(given, home=home, flavour=flavour) for given in (text, base))
    return absolute(path, base, flavour)


def _module(flavour: Flavour):
    return ntpath if flavour == "windows" else posixpath


def _normal(path: str, flavour: Flavour, *, keep_slash: bool = False) -> str:
    ended = keep_slash and path.endswith("/")
    path = _module(flavour).normpath(path)
    if flavour == "windows":
        return path[:1].upper() + path[1:] if path[1:2] == ":" else path
    if path.startswith("//"):  # Python keeps exactly two, Node does not
        path = path[1:]
    return path + "/" if ended and path != "/" else path


def _split(rest: str) -> tuple[str, str]:
    """Host and path, still escaped, of what stands behind `file:`."""
    for mark in ("?", "#"):
        rest = rest.partition(mark)[0]
    rest = rest.replace("\\", "/")
    if not rest.startswith("//"):
        return "", rest
    host, slash, path = rest[2:].partition("/")
    if _DRIVE_HOST.fullmatch(host):
        return "", f"/{host}{slash}{path}"
    return host, slash + path


def _join(host: str, path: str, flavour: Flavour) -> str:
    """The path of a decoded URI path. Raises FileUrlError."""
    local = host.lower() in ("", "localhost")
    if flavour == "posix":
        if not local:
            raise FileUrlError(f'File URL host must be "localhost" or empty on {sys.platform}')
        return _normal(path or "/", flavour)
    if not local:
        if not _HOST.fullmatch(host):
            raise FileUrlError("Invalid URL")
        return _normal(f"//{host}{path}", flavour)
    drive = _DRIVE_PATH.match(path)
    if not drive:
        raise FileUrlError("File URL path must start with a drive letter")
    return _normal(f"{drive[1]}:{path[drive.end() :] or '/'}", flavour)


def _from_file_url(url: str, flavour: Flavour) -> str:
    """The path of a `file://` URL, as strictly as Node reads it. Raises FileUrlError."""
    url = re.sub("[\t\n\r]", "", url.strip(_EDGE))
    host, path = _split(url.removeprefix("file:"))
    host = unquote(host)
    if re.search(r"[\s@:<>^|%\x00-\x1f\x7f]", host) and not host.startswith("["):
        raise FileUrlError("Invalid URL")
    if re.search("%2f|%5c" if flavour == "windows" else "%2f", path, re.IGNORECASE):
        raise FileUrlError("File URL path must not include encoded / characters")
    if _BROKEN_ESCAPE.search(path):
        raise FileUrlError("URI malformed")
    try:
        return _join(host, unquote(to_utf8(path).decode(), errors="strict"), flavour)
    except UnicodeDecodeError:
        raise FileUrlError("URI malformed") from None


def _quote(path: str) -> str:
    try:
        return quote(path, errors="surrogateescape")
    except UnicodeEncodeError:
        return quote(to_utf8(path))
