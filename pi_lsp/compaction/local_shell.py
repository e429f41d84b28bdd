"""Shell commands as text: how one is shown, what it runs, whether it checks something."""

import re
from collections.abc import Iterator

from pi_lsp.compaction.local_prose import line_of

_SHOWN_UNITS = 300

_TOKEN = re.compile(r"""\\.|"(?:[^"\\]|\\.)*"|'[^']*'|&&|\|\||[;|]""")
_CHECK = re.compile(
    r"""
    (?<![\w/.])(?: \w*tests? | check | build | lint | typecheck | verify | compile | ci | e2e
      | tsc | tsgo | pytest | jest | vitest | mocha | tox | nox | ruff | mypy | basedpyright | pyright | eslint | biome
      | make | cmake | ctest | ninja | bazel | cargo | mvn | gradle | gradlew | msbuild | xcodebuild | rspec | phpunit
      | golangci-lint | pre-commit )(?![\w/.])
    | ^go\ (?:test|vet|build|run)\b | ^(?:dotnet|swift|zig|deno|mix|sbt|rake)\ \w
    """,
    re.VERBOSE,
)
_DEED = re.compile(r"(?<![\w/.])(?:install|ci|publish|migrate|deploy|release|push)(?![\w/.])")
_LOOKS = frozenset(
    """
    awk bash cat cd chmod code cp curl diff echo export find gh git grep head jq kill less ls mkdir mv node open perl
    printf ps pwd python python3 rg rm sed sh sleep sort source stat tail touch tree uniq wc which xargs
    """.split()  # noqa: SIM905  words are read more easily so
)
_RUNS = re.compile(r"(?:python3?|node) (?:-m )?\S*(?:test|check|build)")
_ASSIGNMENT = re.compile(r"^(?:\w+=\S* +)+")
_REDIRECTION = re.compile(r"\s*\d?>(?:&\d|\s*\S+)")
_COMMIT = re.compile(r"""\bgit commit\b[^\n]{0,200}?-\w*m\s*(?:"((?:[^"\\]|\\.){0,2000})|'([^']{0,2000}))""")


def shown(command: str) -> str:
    """A command on one line: of a here-document only the head, of many lines the first ones."""
    head, *rest = command.strip().split("\n")
    if rest and "<<" in head:
        return line_of(head, _SHOWN_UNITS)
    return line_of("; ".join(line for line in map(str.strip, [head, *rest]) if line), _SHOWN_UNITS)


def steps(command: str) -> list[str]:
    """The commands that a shown command runs one after the other, each with the folder it changes to first.

    Of a pipe only its first command counts; redirections and variables that are set are left out.
    """
    folder = ""
    found: list[str] = []
    for step, piped in _parts(command):
        if piped:
            continue
        bare = _ASSIGNMENT.sub("", _REDIRECTION.sub("", step)).strip()
        if bare.startswith("cd "):
            folder = bare.removeprefix("cd ").strip().rstrip("/")
        elif bare and not bare.startswith("#"):
            found.append(f"{folder}: {bare}" if folder else bare)
    return found


def hides_exit_code(command: str) -> bool:
    """Whether the last command's exit code is that of a pipe's end, which says nothing about its beginning."""
    *_, (_, piped) = _parts(command)
    return piped and "pipefail" not in command


def is_check(step: str) -> bool:
    """Whether a step tests or builds what was changed."""
    return not is_look(step) and bool(_CHECK.search(_bare(step)) or _RUNS.match(_bare(step)))


def must_pass(step: str) -> bool:
    """Whether a step is done again until it succeeds: a check, an installation, a release and the like."""
    return is_check(step) or (not is_look(step) and bool(_DEED.search(_bare(step))))


def is_look(step: str) -> bool:
    """Whether a step looks something up or moves something: that it fails, as `grep` does, is an answer."""
    bare = _bare(step)
    return bare.split(" ", 1)[0].rpartition("/")[2] in _LOOKS and not _RUNS.match(bare)


def commit_subject(command: str) -> str:
    """The first line of the message of a `git commit -m`; empty where there is none."""
    commit = _COMMIT.search(command[:4000])
    if not commit:
        return ""
    lines = (commit[1] or commit[2] or "").split("\n")
    return next((line for line in map(str.strip, lines) if line and not line.startswith("$(")), "")


def _bare(step: str) -> str:
    return step.partition(": ")[2] or step


def _parts(command: str) -> Iterator[tuple[str, bool]]:
    """The text between the operators outside of quotes, and whether a single bar stands before it."""
    start, piped = 0, False
    for token in _TOKEN.finditer(command):
        if token[0] in ("&&", "||", ";", "|"):
            yield command[start : token.start()], piped
            start, piped = token.end(), token[0] == "|"
    yield command[start:], piped
