"""Every folder of the corpus of public repositories: what is loaded there, in which order, and what is not."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.base.files import Disk
from pi_lsp.resources.index import build_index
from pi_lsp.resources.rules import chain

CORPUS = Path(__file__).parents[4] / "shared/corpus"
EXPECTED = CORPUS / "expected.json"
TREES: dict[str, Any] = json.loads(EXPECTED.read_text("utf-8"))["trees"] if EXPECTED.exists() else {}

pytestmark = pytest.mark.skipif(not TREES, reason="no ../shared")


@pytest.mark.parametrize("tree", sorted(TREES))
def test_chains_of_the_corpus(tree: str, tmp_path: Path):
    root = os.path.realpath(CORPUS / tree)
    for folder, expected in TREES[tree].items():
        directory = os.path.normpath(os.path.join(root, folder))
        records = [
            record
            for record in chain(Disk(), directory, str(tmp_path / "agent"))
            if record.path.startswith(root + os.sep)
        ]
        assert [os.path.relpath(record.path, root) for record in records if record.loaded] == expected["chain"]
        here = {os.path.basename(r.path): r for r in records if os.path.dirname(r.path) == directory}
        assert [name for name, record in here.items() if record.loaded] == [n for n in [expected["loaded"]] if n]
        assert [name for name, record in here.items() if record.reason == "shadowed"] == expected["shadowed"]
        nearly = [name for name, record in here.items() if record.reason == "otherCase"]
        assert nearly == [name for name in expected["never"] if name.lower() in ("agents.md", "claude.md")]
        assert not {*expected["never"]} & {name for name, record in here.items() if record.loaded}


@pytest.mark.parametrize("tree", sorted(TREES))
def test_the_index_finds_the_folders_of_the_corpus(tree: str):
    root = os.path.realpath(CORPUS / tree)
    folders = {os.path.relpath(f, root) for f in build_index(Disk(), [root]).rule_folders() if f.startswith(root)}
    expected = {
        folder
        for folder, facts in TREES[tree].items()
        if facts["loaded"] or facts["shadowed"] or "agents.md" in map(str.lower, facts["never"])
    }
    assert folders - {"."} == expected - {"."}
