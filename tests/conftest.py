"""What holds for all tests."""

from collections.abc import Iterator

import pytest

from pi_lsp.context import tokens


@pytest.fixture(autouse=True)
def _no_vocabulary() -> Iterator[None]:
    """Each test counts as a fresh process does: by bytes until it loads the vocabulary."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "_loaded", None)
        yield
