"""The settings in force, as typed values.

From strong to weak: what the client answers for its section `pi`, the `settings` of `initialize`, the project's file,
the user's file, the defaults of Pi 1.6.0. All four use Pi's names; `rules.nested` and `compaction.trimToolResults` are
ours. A value of a wrong type is reported and read as its default, so that one typo never costs the others.
"""

from typing import Literal, TypeAlias

import msgspec

from pi_lsp.base.json import JsonObject
from pi_lsp.resources.settings_files import SettingsFiles, overlay
from pi_lsp.resources.settings_read import Layer, Reader, SettingError, SettingsProblem, is_whole
from pi_lsp.resources.trust import DefaultTrust

QueueMode: TypeAlias = Literal["one-at-a-time", "all"]
NestedRules: TypeAlias = Literal["offer", "onTouch", "off"]

USER_ONLY = frozenset({"agentDir", "baseUrl", "hooks", "serverPath", "toolPolicy"})
"""What only the user's own file may set: a workspace can write into all the other places."""

DEFAULT_TOOLS = ("read", "bash", "edit", "write")
MAX_TOKENS = 2**53 - 1
"""The largest number of tokens that a setting may name: JavaScript's largest safe integer."""


class CompactionSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """When compaction starts and what it keeps, in tokens."""

    enabled: bool = True
    reserve_tokens: int = 16384
    keep_recent_tokens: int = 20000


class BranchSummarySettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Summaries of branches that are left."""

    reserve_tokens: float = 16384
    skip_prompt: bool = False


class RetrySettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Retries of the agent; delays in ms."""

    enabled: bool = True
    max_retries: int = 3
    base_delay_ms: float = 2000
    max_agent_delay_ms: float = 60000


class ProviderRetrySettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Retries of single HTTP requests; times in ms. A `max_retry_delay_ms` of 0 is no limit."""

    timeout_ms: float | msgspec.UnsetType = msgspec.UNSET
    max_retries: int | msgspec.UnsetType = msgspec.UNSET
    max_retry_delay_ms: float = 60000


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings in force. `values` is all of them as JSON, also those that nobody here knows."""

    values: JsonObject
    layers: tuple[Layer, ...]
    problems: tuple[SettingsProblem, ...]
    branch_summary: BranchSummarySettings
    retry: RetrySettings
    provider_retry: ProviderRetrySettings
    default_provider: str | None
    default_model: str | None
    default_thinking_level: str
    default_tools: tuple[str, ...] | None
    """The tools a session starts with; None where no settings name any."""
    steering_mode: QueueMode
    follow_up_mode: QueueMode
    skills: tuple[str, ...]
    prompts: tuple[str, ...]
    enable_skill_commands: bool
    session_dir: str | None
    """With `~` expanded; it may still be relative to the working directory."""
    default_project_trust: DefaultTrust
    nested_rules: NestedRules
    trim_tool_results: int | None
    """The context size in tokens from which old tool results are trimmed; None is never."""

    def compaction(self, provider: str | None = None, model_id: str | None = None) -> CompactionSettings:
        """The compaction settings for a model: its override, else the ordinary value, else the default, each by itself.

        Raises:
            SettingError: a number of tokens is none (also an ordinary one that is overridden), or the model's
                override is no object. The message names the key, the file and the line.
        """
        reader = Reader(self.values, self.layers)
        model = None if provider is None or model_id is None else f"{provider}/{model_id}"
        return CompactionSettings(
            enabled=reader.flag("compaction", "enabled", default=True),
            reserve_tokens=_compaction_tokens(reader, "reserveTokens", model, CompactionSettings().reserve_tokens),
            keep_recent_tokens=_compaction_tokens(
                reader, "keepRecentTokens", model, CompactionSettings().keep_recent_tokens
            ),
        )


def effective(
    files: SettingsFiles, initialization: JsonObject | None = None, client: JsonObject | None = None
) -> Settings:
    """The settings in force. `initialization` and `client` are as the client sent them; a null there is no setting."""
    layers = (
        Layer(values=files.user.values, file=files.user),
        Layer(values=files.project.values, file=files.project),
        Layer(values=_without_nulls(initialization or {}), name="the settings of initialize"),
        Layer(values=_without_nulls(client or {}), name="the editor's settings"),
    )
    reader = Reader(merge(*(layer.values for layer in layers)), layers)
    own = Reader(files.user.values, layers[:1])
    read = Settings(
        values=reader.values,
        layers=layers,
        problems=(),
        branch_summary=BranchSummarySettings(
            reserve_tokens=reader.number("branchSummary", "reserveTokens", default=16384),
            skip_prompt=reader.flag("branchSummary", "skipPrompt", default=False),
        ),
        retry=_retry(reader),
        provider_retry=_provider_retry(reader),
        default_provider=reader.text("defaultProvider"),
        default_model=reader.text("defaultModel"),
        default_thinking_level=reader.text("defaultThinkingLevel") or "medium",
        default_tools=reader.tools("defaultTools", default=DEFAULT_TOOLS),
        steering_mode=reader.choice("steeringMode", choices=("one-at-a-time", "all")),
        follow_up_mode=reader.choice("followUpMode", choices=("one-at-a-time", "all")),
        skills=reader.texts("skills"),
        prompts=reader.texts("prompts"),
        enable_skill_commands=reader.flag("enableSkillCommands", default=True),
        session_dir=reader.path("sessionDir"),
        default_project_trust=own.choice("defaultProjectTrust", choices=("ask", "always", "never")),
        nested_rules=reader.choice("rules", "nested", choices=("offer", "onTouch", "off")),
        trim_tool_results=_trim(reader),
    )
    return msgspec.structs.replace(read, problems=(*reader.problems, *own.problems))


def merge(
    user: JsonObject,
    project: JsonObject | None = None,
    initialization: JsonObject | None = None,
    client: JsonObject | None = None,
) -> JsonObject:
    """All settings, weak ones first; what only the user's own may set (USER_ONLY) is dropped from the others."""
    merged = user
    for layer in (project, initialization, client):
        merged = overlay(merged, {key: value for key, value in (layer or {}).items() if key not in USER_ONLY})
    return merged


def _retry(reader: Reader) -> RetrySettings:
    default = RetrySettings()
    return RetrySettings(
        enabled=reader.flag("retry", "enabled", default=default.enabled),
        max_retries=reader.whole("retry", "maxRetries", default=default.max_retries),
        base_delay_ms=reader.number("retry", "baseDelayMs", default=default.base_delay_ms),
        max_agent_delay_ms=reader.number("retry", "maxAgentDelayMs", default=default.max_agent_delay_ms),
    )


def _provider_retry(reader: Reader) -> ProviderRetrySettings:
    keys = ("retry", "provider")
    default = ProviderRetrySettings()
    return ProviderRetrySettings(
        timeout_ms=reader.number(*keys, "timeoutMs", default=default.timeout_ms),
        max_retries=reader.whole(*keys, "maxRetries", default=default.max_retries),
        max_retry_delay_ms=reader.number(*keys, "maxRetryDelayMs", default=default.max_retry_delay_ms),
    )


def _trim(reader: Reader) -> int | None:
    keys = ("compaction", "trimToolResults")
    return None if reader.get(*keys) in (False, "off") else reader.whole(*keys, default=None)


def _compaction_tokens(reader: Reader, name: str, model: str | None, default: int) -> int:
    value = default
    if reader.has("compaction", name):
        value = _tokens(reader, "compaction", name)
    if model is None or not reader.has("compaction", "modelOverrides", model):
        return value
    override = ("compaction", "modelOverrides", model)
    if not isinstance(found := reader.get(*override), dict):
        raise SettingError(reader.complaint(override, found, "an object"))
    return _tokens(reader, *override, name) if name in found else value


def _tokens(reader: Reader, *keys: str) -> int:
    value = reader.get(*keys)
    if not is_whole(value) or not 0 <= value <= MAX_TOKENS:
        raise SettingError(reader.complaint(keys, value, f"a whole number from 0 to {MAX_TOKENS}"))
    return int(value)


def _without_nulls(values: JsonObject) -> JsonObject:
    """A copy without nulls at any depth: clients send null for what the user left alone."""
    copy: JsonObject = {}
    open_levels: list[tuple[JsonObject, JsonObject]] = [(copy, values)]
    while open_levels:
        target, source = open_levels.pop()
        for key, value in source.items():
            if isinstance(value, dict):
                level: JsonObject = {}
                target[key] = level
                open_levels.append((level, value))
            elif value is not None:
                target[key] = value
    return copy
