"""What the VS Code tests share with the Python ones: the strict Messages API, and the real Pi on the same sessions.

A line of JSON in, `{"do": command, ...arguments}`, a line out, `{"result"}` or `{"error"}`. The first line out is the
address of the API.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.api_server import ApiServer
from tests.support.api_server_replies import Reply
from tests.support.pi_install import install
from tests.support.pi_models import local_api, use_local_api
from tests.support.pi_rpc import PiRpc


@dataclass
class Place:
    """The folders that Pi is started with; a `Home` makes its own."""

    home: Path
    agent: Path
    workspace: Path


class Helper:
    def __init__(self, api: ApiServer, opened: ExitStack) -> None:
        self._api = api
        self._opened = opened
        self._pi: PiRpc | None = None

    def will(self, replies: list[dict[str, Any]]) -> None:
        """These are the next replies of the API."""
        self._api.replies[:] = [Reply(**reply) for reply in replies]

    def last_request(self) -> dict[str, Any]:
        request = self._api.requests[-1]
        return {"headers": request.headers, "body": request.body}

    def refusals(self) -> list[str]:
        return self._api.refusals

    def start_pi(self, home: str, agent: str, workspace: str, session: str) -> None:
        """Start the real Pi in a folder, on a session file."""
        place: Any = Place(Path(home), Path(agent), Path(workspace))
        use_local_api(place, self._api.url)
        self._pi = self._opened.enter_context(PiRpc(install(), place, session=session))

    def ask_pi(self, text: str) -> None:
        """Say something to Pi and wait until it has settled."""
        self._running.prompt(text)

    def pi_messages(self) -> list[dict[str, Any]]:
        return self._running.messages()

    def pi_opens(self, session: str) -> None:
        self._running.call("switch_session", sessionPath=session)

    @property
    def _running(self) -> PiRpc:
        assert self._pi, "start_pi comes first"
        return self._pi


COMMANDS = ("will", "last_request", "refusals", "start_pi", "ask_pi", "pi_messages", "pi_opens")


@contextmanager
def helper() -> Iterator[Helper]:
    with local_api() as api, ExitStack() as opened:
        _say(api.url)
        yield Helper(api, opened)


def main() -> None:
    with helper() as one:
        for line in sys.stdin:
            request = json.loads(line)
            command = request.pop("do")
            try:
                assert command in COMMANDS, f"no command {command}"
                _say({"result": getattr(one, command)(**request)})
            except Exception as error:  # the test that asked tells it
                _say({"error": f"{type(error).__name__}: {error}"})


def _say(value: Any) -> None:
    sys.stdout.write(f"{json.dumps(value)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
