"""Appending to a session of 100 MB, beside bare writes of the same bytes to a file."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from pi_lsp.session.actions import append_message
from pi_lsp.session.messages import Message
from pi_lsp.session.store import Session
from tests.bench.rows import Row, times
from tests.bench.servers import p99
from tests.bench.sessions import flat
from tests.bench.stage import Stage

ROUNDS = 6
APPENDS = 1000
TEXT = "All 214 tests pass, two are skipped on this platform. The index is next. " * 8


def append(stage: Stage) -> Iterator[Row]:
    """A message appended to a session, its file followed first as before every append; a bare write comes after each.

    Neither syncs. The round in which the machine disturbed least counts.
    """
    folder = stage.folder("append")
    file = folder / "session.jsonl"
    shutil.copyfile(flat(stage), file)
    session = Session.open(str(file), "/")
    entries = len(session.tree)
    bare = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    try:
        rounds = [_round(session, file, bare) for _ in range(ROUNDS)]
    finally:
        os.close(bare)
        shutil.rmtree(folder)
    ours, theirs = (min(p99(taken) for taken in of_all) for of_all in zip(*rounds, strict=True))
    yield times(f"append p99, {entries:,} entries before", "ms", ours, theirs, "os.write of the same bytes")


def _round(session: Session, file: Path, bare: int) -> tuple[list[float], list[float]]:
    """What each append took in ms, ours and the bare one."""
    ours, theirs = list[float](), list[float]()
    message: Message = {"role": "user", "content": [{"type": "text", "text": TEXT}], "timestamp": 1_760_000_000_000}
    with file.open("rb") as written:
        for _ in range(APPENDS):
            size = written.seek(0, os.SEEK_END)
            begun = time.perf_counter()
            append_message(session, message)
            ours.append((time.perf_counter() - begun) * 1000)
            written.seek(size)
            record = written.read()
            begun = time.perf_counter()
            os.write(bare, record)
            theirs.append((time.perf_counter() - begun) * 1000)
    return ours, theirs
