"""The ops of the group retry; no time passes in them."""

from msgspec import convert

from pi_lsp.base.json import Json
from pi_lsp.llm import provider_retry, retry_errors
from pi_lsp.llm.retry import RetryPolicy, with_retries
from pi_lsp.resources import settings as settings_in_force
from pi_lsp.resources.settings_files import SettingsFile, SettingsFiles, migrate
from tests.conformance.case import Case
from tests.conformance.script import RetryScript
from tests.conformance.shapes import answer_or_error, to_json


def delay(case: Case) -> Json:
    return _policy(case).delay_ms(case.input["attempt"])


def retryable(case: Case) -> Json:
    return retry_errors.is_retryable(case.input["message"])


def overflow(case: Case) -> Json:
    return retry_errors.is_overflow(case.input["message"], case.input.get("contextWindow", 0))


def recoverable_length(case: Case) -> Json:
    return retry_errors.is_recoverable_length(case.input["message"], case.input["desiredMaxOutput"])


def provider_retryable(case: Case) -> Json:
    return provider_retry.is_retryable_status(case.input.get("status"), case.input.get("headers"))


def provider_delay(case: Case) -> Json:
    def ask() -> Json:
        asked = provider_retry.server_delay_ms(
            case.input.get("headers"), max_delay_ms=case.input.get("maxRetryDelayMs", 60_000), error="boom"
        )
        if asked is not None:
            return {"delayMs": asked}
        shortest, longest = provider_retry.backoff_range_ms(case.input.get("retryIndex", 0))
        return {"min": shortest, "max": longest}

    return answer_or_error(ask, (provider_retry.ServerDelayError,))


async def sequence(case: Case) -> Json:
    script = RetryScript(case.input["responses"], case.input.get("abortAfterScheduled"))
    response = await with_retries(script.call, _policy(case), pause=script.pause, on_event=script.on_event)
    return {"log": script.log, "response": response}


def settings(case: Case) -> Json:
    user = SettingsFile(scope="global", path="", values=migrate(case.input["settings"]))
    read = settings_in_force.effective(SettingsFiles(user=user, project=SettingsFile(scope="project", path="")))
    return {"retry": to_json(read.retry), "provider": to_json(read.provider_retry)}


def _policy(case: Case) -> RetryPolicy:
    return RetryPolicy.of(convert(case.input["policy"], settings_in_force.RetrySettings))
