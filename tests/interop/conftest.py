from collections.abc import Iterator

import pytest

from tests.support.api_server import ApiServer
from tests.support.editor import Editor, Home
from tests.support.pi_install import Pi
from tests.support.pi_models import local_api, use_local_api
from tests.support.pi_rpc import PiRpc, pi_or_skip

KEEP_TOKENS = 60
"""So little stays when a session is compacted: short conversations have something to summarise."""

pytest.register_assert_rewrite("tests.interop.agree")


@pytest.fixture(scope="session")
def program() -> Pi:
    return pi_or_skip()


@pytest.fixture(scope="module")
def module_api() -> Iterator[ApiServer]:
    with local_api() as api:
        yield api


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, module_api: ApiServer) -> Home:
    home = Home(tmp_path_factory.mktemp("home"))
    compaction = {"reserveTokens": 4000, "keepRecentTokens": KEEP_TOKENS}
    use_local_api(home, module_api.url, compaction=compaction, retry={"baseDelayMs": 1, "maxRetries": 2})
    return home


@pytest.fixture(scope="module")
def module_pi(program: Pi, home: Home) -> Iterator[PiRpc]:
    with PiRpc(program, home) as pi:
        yield pi


@pytest.fixture(scope="module")
def module_editor(home: Home) -> Iterator[Editor]:
    with Editor(home) as editor:
        editor.initialize(session="new")
        yield editor


@pytest.fixture
def api(module_api: ApiServer) -> Iterator[ApiServer]:
    """The model of both programs. What a test has scripted must be what was asked for."""
    module_api.requests.clear()
    yield module_api
    left = module_api.replies[:]
    module_api.replies.clear()
    assert left == []
    assert module_api.refusals == []


@pytest.fixture
def pi(module_pi: PiRpc) -> PiRpc:
    """Real Pi with a new session."""
    module_pi.call("new_session")
    return module_pi


@pytest.fixture
def editor(module_editor: Editor) -> Editor:
    return module_editor
