"""Child processes of tests: how they end whatever has happened."""

import subprocess
import threading
from collections.abc import Iterable
from contextlib import suppress

from tests.support.waiting import PATIENCE_S


def clear_away(process: "subprocess.Popen[bytes]", threads: Iterable[threading.Thread] = ()) -> None:
    """Kill a process that still runs, wait for the threads that listen to it, and close its streams."""
    if process.poll() is None:
        process.kill()
        process.wait()
    for thread in threads:
        thread.join(PATIENCE_S)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            with suppress(BrokenPipeError):
                stream.close()
