import pytest

from tests.support.pi_install import Pi
from tests.support.pi_rpc import pi_or_skip

pytest.register_assert_rewrite("tests.random.driven")


@pytest.fixture(scope="session")
def program() -> Pi:
    return pi_or_skip()
