"""Every case of the vectors, one test each. PI_LSP_VECTORS names another folder of the same format."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.case import BUNDLED, Vector, load_vectors
from tests.conformance.later import why_later
from tests.conformance.runner import NoAdapterError, run

FOLDER = Path(os.environ.get("PI_LSP_VECTORS") or BUNDLED)


def _case(vector: Vector):
    later = why_later(vector)
    return pytest.param(vector, id=vector.id, marks=[pytest.mark.skip(f"later: {later}")] if later else [])


@pytest.mark.parametrize("vector", [_case(vector) for vector in load_vectors(FOLDER)])
def test_vector(vector: Vector, record_property: Callable[[str, object], None]) -> None:
    try:
        outcome = run(vector)
    except NoAdapterError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    record_property("deviates", bool(outcome.found))
    if outcome.wrong:
        shown = "\n  ".join(str(difference) for difference in outcome.wrong[:5])
        more = f"\n  and {len(outcome.wrong) - 5} more" if len(outcome.wrong) > 5 else ""
        pytest.fail(f"{vector.id}: not what Pi answers\n  {shown}{more}", pytrace=False)
