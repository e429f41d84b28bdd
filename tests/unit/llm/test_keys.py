"""Where keys come from, which wins, and that none is ever seen."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.base.files import Disk
from pi_lsp.context.model import Model
from pi_lsp.llm.access import Access, Endpoint, Key, NoKey
from pi_lsp.llm.keys import Secret, UnusableValueError, checked, resolve
from pi_lsp.llm.models import models

SONNET = models()["claude-sonnet-4-5"]


def access(agent_dir: Path, env: dict[str, str] | None = None, base_url: str | None = None, **files: Any) -> Access:
    """`auth` and `models` are the contents of Pi's files."""
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (agent_dir / f"{name}.json").write_text(text, "utf-8")
    return Access(Disk(), str(agent_dir), env=env or {}, base_url=base_url)


def found(key: Key | NoKey) -> tuple[str, str, bool]:
    assert isinstance(key, Key), key
    return key.secret.reveal(), key.source, key.bearer


def missing(key: Key | NoKey | Endpoint) -> str:
    assert isinstance(key, NoKey), key
    return key.reason


def test_from_strong_to_weak(tmp_path: Path) -> None:
    sources = access(
        tmp_path,
        {"ANTHROPIC_API_KEY": "of-env"},
        auth={"anthropic": {"type": "api_key", "key": "of-auth"}},
        models={"providers": {"anthropic": {"apiKey": "of-models"}}},
    )
    sources.set_key("anthropic", " of-client\n")
    assert found(sources.key("anthropic")) == ("of-client", "client", False)
    sources.set_key("anthropic", "")
    assert found(sources.key("anthropic")) == ("of-auth", "auth.json", False)
    (tmp_path / "auth.json").unlink()
    assert found(sources.key("anthropic")) == ("of-models", "models.json", False)
    (tmp_path / "models.json").unlink()
    sources.reload()
    assert found(sources.key("anthropic")) == ("of-env", "environment", False)


def test_a_bearer_token_of_the_environment_goes_before_its_key_as_in_pi(tmp_path: Path) -> None:
    env = {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_AUTH_TOKEN": "token"}
    assert found(access(tmp_path, env).key("anthropic")) == ("token", "environment", True)
    assert found(access(tmp_path, {**env, "ANTHROPIC_AUTH_TOKEN": ""}).key("anthropic")) == (
        "key",
        "environment",
        False,
    )


def test_a_login_in_pi_counts_at_once(tmp_path: Path) -> None:
    sources = access(tmp_path)
    assert "ANTHROPIC_API_KEY" in missing(sources.key("anthropic"))
    (tmp_path / "auth.json").write_text('\ufeff{"anthropic": {"type": "api_key", "key": "new"}}', "utf-8")
    assert found(sources.key("anthropic"))[0] == "new"


@pytest.mark.parametrize(
    ("value", "resolved"),
    [
        ("plain", "plain"), ("$NAME", "v"), ("${NAME}", "v"), ("a-$NAME-b", "a-v-b"), ("$$NAME", "$NAME"),
        ("$!x", "!x"), ("a$", "a$"), ("${not a name}", "${not a name}"), ("$1", "$1"),
        (" spaced ", "spaced"), ("${NAME", "${NAME"),
    ],
)  # fmt: skip
def test_references_to_the_environment(value: str, resolved: str) -> None:
    assert resolve(value, {"NAME": "v"}, "x").reveal() == resolved


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("!security find-generic-password", "shell command"),
        ("$GONE", "GONE, which is not set"),
        ("${EMPTY}", "EMPTY, which is not set"),
        ("   ", "is empty"),
        ("two\nlines", "characters that no header can have"),
        ("schlüssel", "characters that no header can have"),
        ("\0", "characters that no header can have"),
    ],
)
def test_what_is_no_key_is_told_without_being_shown(value: str, why: str) -> None:
    with pytest.raises(UnusableValueError, match=why) as refused:
        resolve(value, {"EMPTY": ""}, "auth.json: x.key")
    assert str(refused.value).startswith("auth.json: x.key ")
    assert "security" not in str(refused.value)
    assert "schl" not in str(refused.value)


def test_a_command_is_never_run(tmp_path: Path) -> None:
    proof = tmp_path / "ran"
    command = f"!touch {proof}"
    sources = access(
        tmp_path,
        auth={"anthropic": {"type": "api_key", "key": command}},
        models={"providers": {"anthropic": {"apiKey": command, "headers": {"x": command}}}},
    )
    assert "shell command" in missing(sources.endpoint(SONNET))
    sources.set_key("anthropic", "k")
    assert "headers.x is a shell command" in missing(sources.endpoint(SONNET))
    assert not proof.exists()


@pytest.mark.parametrize(
    ("auth", "why"),
    [
        ("{", "auth.json is not JSON"),
        ("[]", "expected an object"),
        (
            {"anthropic": {"type": "oauth", "access": "SECRET", "refresh": "r", "expires": 1}},
            "a login that only Pi can",
        ),
        ({"anthropic": {"type": "api_key"}}, "has no API key"),
        ({"anthropic": {"type": "api_key", "key": 5}}, "has no API key"),
        ({"anthropic": "SECRET"}, "has no API key"),
        ({"anthropic": {"type": "api_key", "key": "$GONE"}}, "anthropic.key needs the environment variable GONE"),
    ],
)
def test_an_auth_file_without_a_key_falls_through_and_says_why(tmp_path: Path, auth: Any, why: str) -> None:
    reason = missing(access(tmp_path, auth=auth).key("anthropic"))
    assert why in reason
    assert str(tmp_path / "auth.json") in reason
    assert "SECRET" not in reason
    assert found(access(tmp_path, {"ANTHROPIC_API_KEY": "k"}, auth=auth).key("anthropic"))[1] == "environment"


def test_an_auth_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "auth.json").mkdir()
    assert "cannot be read" in missing(access(tmp_path).key("anthropic"))


def test_a_credential_may_bring_its_own_variables(tmp_path: Path) -> None:
    auth = {"anthropic": {"type": "api_key", "key": "$NAME", "env": {"NAME": "own", "X": 5}}}
    assert found(access(tmp_path, {"NAME": "of-process"}, auth=auth).key("anthropic"))[0] == "own"


def test_another_provider_is_reached_by_its_entry_alone(tmp_path: Path) -> None:
    entry = {
        "baseUrl": "http://localhost:1234", "api": "anthropic-messages", "apiKey": "$LOCAL", "authHeader": True,
        "headers": {"x-team": "$TEAM"}, "compat": {"sendSessionAffinityHeaders": True},
        "models": [{"id": "m", "headers": {"x-model": "1"}}, {"id": "n", "baseUrl": "http://localhost:5"}],
    }  # fmt: skip
    env = {"LOCAL": "k", "TEAM": "t", "ANTHROPIC_API_KEY": "not for others", "ANTHROPIC_BASE_URL": "http://nor.this"}
    sources = access(tmp_path, env, "http://nor.that", models={"providers": {"local": entry}})
    endpoint = sources.endpoint(sources.catalog.find("local", "m"))
    assert isinstance(endpoint, Endpoint)
    assert found(endpoint.key) == ("k", "models.json", True)
    assert (endpoint.base_url, endpoint.session_header) == ("http://localhost:1234", "x-session-affinity")
    assert {name: value.reveal() for name, value in endpoint.headers.items()} == {"x-team": "t", "x-model": "1"}
    other = sources.endpoint(sources.catalog.find("local", "n"))
    assert isinstance(other, Endpoint)
    assert other.base_url == "http://localhost:5"
    assert "models.json" in missing(sources.endpoint(Model(id="gpt", provider="openai")))


def test_the_address_of_our_own_provider(tmp_path: Path) -> None:
    env = {"ANTHROPIC_API_KEY": "k"}

    def address(sources: Access) -> str:
        endpoint = sources.endpoint(sources.catalog.find("anthropic", SONNET.id))
        assert isinstance(endpoint, Endpoint)
        return endpoint.base_url

    assert address(access(tmp_path, env)) == "https://api.anthropic.com"
    env["ANTHROPIC_BASE_URL"] = "http://of.env"
    assert address(access(tmp_path, env)) == "http://of.env"
    entry = {"providers": {"anthropic": {"baseUrl": "http://of.models"}}}
    assert address(access(tmp_path, env, models=entry)) == "http://of.models"
    assert address(access(tmp_path, env, "http://of.settings", models=entry)) == "http://of.settings"


def test_offers_say_for_which_models_there_is_a_key(tmp_path: Path) -> None:
    entry = {"baseUrl": "http://x", "api": "anthropic-messages", "models": [{"id": "m"}]}
    sources = access(tmp_path, models={"providers": {"local": entry}})
    assert {offer.available for offer in sources.offers()} == {False}
    sources.set_key("local", "k")
    available = [(offer.model.provider, offer.model.id) for offer in sources.offers() if offer.available]
    assert available == [("local", "m")]
    assert len(sources.offers()) == len(models()) + 1


def test_a_secret_is_not_seen_and_not_stored() -> None:
    secret = checked("sk-ant-4711", "x")
    for text in (
        repr(secret),
        str(secret),
        f"{secret}",
        repr({"a": [secret]}),
        repr(Key(secret=secret, source="client")),
    ):
        assert "4711" not in text
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    assert secret == Secret("sk-ant-4711")
    assert secret != Secret("another")


def test_a_client_s_key_must_be_one(tmp_path: Path) -> None:
    with pytest.raises(UnusableValueError) as refused:
        access(tmp_path).set_key("anthropic", "a\nb")
    assert "a\nb" not in str(refused.value)
