"""What holds for all tests."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from pi_lsp.context import tokens

# How long an example takes says how busy the machine is. What a law costs has a test of its own, in CPU time.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.fixture(autouse=True)
def _no_vocabulary() -> Iterator[None]:
    """Each test counts as a fresh process does: by bytes until it loads the vocabulary."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "_loaded", None)
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Counts the vectors: how many ran, deviate on purpose, or wait for later."""
    cases = [
        report
        for outcome in ("passed", "failed", "skipped")
        for report in terminalreporter.getreports(outcome)
        if "test_vector[" in report.nodeid
    ]
    if not cases:
        return
    later = sum(report.skipped for report in cases)
    deviating = sum(("deviates", True) in report.user_properties and report.passed for report in cases)
    passed = sum(report.passed for report in cases)
    terminalreporter.write_line(
        f"conformance: {passed} of {len(cases) - later} cases pass, {deviating} of them by a rule of deviations.toml;"
        f" {later} are for later"
    )
