import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.base import paths
from pi_lsp.base.paths import FileUrlError, Flavour

NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1).filter(
    lambda name: name not in (".", "..")
)
WINDOWS_NAMES = NAMES.filter(lambda name: not set(name) & set('\\:*?"<>|') and name.rstrip(". ") == name)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/u/AGENTS.md", "/home/u/AGENTS.md"),
        ("FILE:///home/u", "/home/u"),
        ("file:/home/u", "/home/u"),
        ("file://localhost/x", "/x"),
        ("file:///", "/"),
        ("file:///ws/", "/ws"),
        ("file:///a/./b/../c", "/a/c"),
        ("file:////a", "/a"),
        ("file:///a%20b/%C3%A4", "/a b/ä"),
        ("file:///a b/ä", "/a b/ä"),
        ("file:///u%CC%88", "/u\u0308"),
        ("file:///%C3%BC", "/\u00fc"),
        ("file:///c%3A/x", "/c:/x"),
        ("file:///a%5Cb", "/a\\b"),
        ("file:///100%", "/100%"),
        ("file:///a%2fb", "/a/b"),
        ("file:///a?query", "/a"),
        ("file:///a#fragment", "/a"),
        ("file:///a%3F%23", "/a?#"),
    ],
)
def test_E7_uris_of_posix_paths(uri: str, path: str) -> None:
    assert paths.uri_to_path(uri, "posix") == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/Users/me/a%20b.md", "C:\\Users\\me\\a b.md"),
        ("file:///C:/Users", "C:\\Users"),
        ("file:///c:/Users/", "C:\\Users"),
        ("file:///c%3a/x", "C:\\x"),
        ("file://c:/x", "C:\\x"),
        ("file:\\\\\\C:\\Users\\me", "C:\\Users\\me"),
        ("file:///c%3A/", "C:\\"),
        ("file:///c%3A", "C:\\"),
        ("file:///c%3A/a/../b", "C:\\b"),
        ("file:///c%3A/%E6%97%A5/u%CC%88", "C:\\日\\u\u0308"),
        ("file://server/share/a%20b", "\\\\server\\share\\a b"),
        ("file:///home/u", None),
    ],
)
def test_E7_uris_of_windows_paths(uri: str, path: str | None) -> None:
    assert paths.uri_to_path(uri, "windows") == path


@pytest.mark.parametrize("flavour", ["posix", "windows"])
@pytest.mark.parametrize(
    "uri",
    ["pi:/context/1", "untitled:Untitled-1", "vscode-remote://ssh/home/u", "git:/c%3A/x", "/home/u", "", "c:\\x", ":"],
)
def test_other_schemes_are_no_path(uri: str, flavour: Flavour) -> None:
    assert paths.uri_to_path(uri, flavour) is None


def test_a_path_that_cannot_be_is_none() -> None:
    assert paths.uri_to_path("file:///a%00b", "posix") is None
    assert paths.uri_to_path("file://server/share", "posix") is None


@pytest.mark.parametrize(
    ("path", "flavour", "uri"),
    [
        ("/home/u/a b:c", "posix", "file:///home/u/a%20b%3Ac"),
        ("/", "posix", "file:///"),
        ("/a\\b", "posix", "file:///a%5Cb"),
        ("/ä/u\u0308", "posix", "file:///%C3%A4/u%CC%88"),
        ("/a-b_c.d~(e)!", "posix", "file:///a-b_c.d~%28e%29%21"),
        ("C:\\Users\\me", "windows", "file:///c%3A/Users/me"),
        ("c:/Users", "windows", "file:///c%3A/Users"),
        ("C:\\", "windows", "file:///c%3A/"),
        ("\\\\server\\share\\x y", "windows", "file://server/share/x%20y"),
    ],
)
def test_E7_uris_are_spelled_as_vscode_spells_them(path: str, flavour: Flavour, uri: str) -> None:
    assert paths.path_to_uri(path, flavour) == uri


def test_a_lone_surrogate_in_a_path_is_no_crash() -> None:
    assert paths.path_to_uri("/a\ud800b", "posix") == "file:///a%EF%BF%BDb"


@given(st.lists(NAMES, max_size=4))
def test_posix_paths_survive_the_round_trip(names: list[str]) -> None:
    path = "/" + "/".join(names)
    assert paths.uri_to_path(paths.path_to_uri(path, "posix"), "posix") == path


@given(st.lists(WINDOWS_NAMES, max_size=4))
def test_windows_paths_survive_the_round_trip(names: list[str]) -> None:
    path = "C:\\" + "\\".join(names)
    assert paths.uri_to_path(paths.path_to_uri(path, "windows"), "windows") == path


@given(st.binary(min_size=1, max_size=8).filter(lambda name: not set(name) & {0, 0x2F} and name not in (b".", b"..")))
def test_names_that_are_not_utf8_survive_the_round_trip(name: bytes) -> None:
    path = "/" + os.fsdecode(name)
    assert paths.uri_to_path(paths.path_to_uri(path, "posix"), "posix") == path


@given(st.text(), st.sampled_from(["posix", "windows"]))
def test_no_uri_crashes(text: str, flavour: Flavour) -> None:
    for uri in (text, f"file:{text}", f"file://{text}", f"file:///c%3A/{text}"):
        path = paths.uri_to_path(uri, flavour)
        assert path is None or paths.uri_to_path(paths.path_to_uri(path, flavour), flavour) is not None


def key_of(uri: str, flavour: Flavour) -> str:
    path = paths.uri_to_path(uri, flavour)
    assert path is not None
    return paths.path_key(path, flavour)


def test_E7_keys_of_two_spellings_are_equal() -> None:
    windows = ["file:///c%3A/Users/Me", "file:///C:/users/me", "file:///C%3a/Users/me/", "FILE:///c:\\Users\\me"]
    assert len({key_of(uri, "windows") for uri in windows}) == 1
    assert key_of("file:///a%20b", "posix") == key_of("file:///a b", "posix")
    assert key_of("file:///A", "posix") != key_of("file:///a", "posix")
    assert key_of("file:///%C3%BC", "posix") != key_of("file:///u%CC%88", "posix")


def test_home_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/z/")
    assert paths.home_dir() == "/home/z"
    assert paths.expand_home("~/p") == "/home/z/p"
    assert paths.resolve("~") == "/home/z"


@pytest.mark.parametrize(
    ("text", "flavour", "expected"),
    [
        ("~", "posix", "/h"),
        ("~/", "posix", "/h"),
        ("~/x", "posix", "/h/x"),
        ("~//x/../y/", "posix", "/h/y/"),
        ("~bob/x", "posix", "~bob/x"),
        ("a/~", "posix", "a/~"),
        ("~\\x", "posix", "~\\x"),
        ("~\\x", "windows", "C:\\h\\x"),
        ("~/x", "windows", "C:\\h\\x"),
    ],
)
def test_expand_home(text: str, flavour: Flavour, expected: str) -> None:
    home = "/h" if flavour == "posix" else "C:\\h"
    assert paths.expand_home(text, home, flavour) == expected


def test_the_steps_of_an_input_and_their_order() -> None:
    every = {"trim": True, "strip_at": True, "plain_spaces": True}
    assert paths.from_input("\ufeff @~/a\u00a0b\u3000", home="/h", **every) == "/h/a b"
    assert paths.from_input("@file:///a%20b", **every) == "/a b"
    assert paths.from_input("@@a", strip_at=True) == "@a"
    assert paths.from_input(" a ") == " a "
    assert paths.from_input("~/a", expand_tilde=False) == "~/a"


@pytest.mark.parametrize(
    "url", ["file://host/x", "file:///a%2Fb", "file:///%zz", "file:///%ff", "file://localhost:80/x", "file:///a%"]
)
def test_a_file_url_that_names_no_path_is_an_error(url: str) -> None:
    with pytest.raises(FileUrlError):
        paths.resolve(url, "/base")


def test_shell_drives_are_windows_only() -> None:
    assert paths.resolve("/c/Users/x", "/base", flavour="posix") == "/c/Users/x"
    given = ["/c/Users/x", "/mnt/d", "/cygdrive/e/a b"]
    assert [paths.from_input(path, flavour="windows") for path in given] == ["C:\\Users\\x", "D:\\", "E:\\a b"]
    assert paths.from_input("/cc/x", flavour="windows") == "/cc/x"


def test_windows_paths_resolve() -> None:
    assert paths.resolve("..\\b", "C:\\a", flavour="windows") == "C:\\b"
    assert paths.resolve("d:/x/", "C:\\a", flavour="windows") == "D:\\x"


def test_a_relative_base_starts_at_the_working_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert paths.resolve("a", "b", flavour="posix") == f"{tmp_path}/b/a"
    assert paths.resolve("", flavour="posix") == str(tmp_path)


@pytest.mark.parametrize(
    ("parent", "child", "flavour", "expected"),
    [
        ("/", "/a", "posix", True),
        ("/a", "/ab", "posix", False),
        ("/a", "/a/..b", "posix", True),
        ("/A", "/a/b", "posix", False),
        ("C:\\a", "c:/A/b", "windows", True),
        ("C:\\", "c:\\x", "windows", True),
        ("C:\\a", "C:\\ab", "windows", False),
        ("C:\\a", "D:\\a\\b", "windows", False),
    ],
)
def test_is_within(parent: str, child: str, flavour: Flavour, expected: bool) -> None:
    assert paths.is_within(parent, child, flavour) is expected
