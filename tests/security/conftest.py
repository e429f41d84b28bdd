from tests.e2e.conftest import api, home, start

__all__ = ["api", "home", "start"]
