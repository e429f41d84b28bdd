"""The settings in force, as typed values.

From strong to weak: what the client answers for its section `pi`, the `settings` of `initialize`, the project's file,
the user's file, the defaults of Pi 1.6.0. All four use Pi's names; `rules.nested` and `compaction.trimToolResults` are
ours. A value of a wrong type is reported and read as its default, so that one typo never costs the others.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from pi_lsp.base.json import Json, JsonObject, as_object
from pi_lsp.resources.settings_files import SettingsFiles, overlay
from pi_lsp.resources.settings_read import Layer, Reader, SettingError, SettingsProblem, is_whole
from pi_lsp.resources.trust import DefaultTrust

QueueMode: TypeAlias = Literal["one-at-a-time", "all"]
NestedRules: TypeAlias = Literal["offer", "onTouch", "off"]

USER_ONLY = frozenset({"agentDir", "baseUrl", "hooks", "serverPath", "toolPolicy"})
"""What only the user's own file may set: a workspace can write into all the other places."""

TRUSTED_ONLY = frozenset({"prompts", "sessionDir", "skills"})
"""What a client may set only where the user has trusted the workspace: its settings may be the workspace's own."""

DEFAULT_TOOLS = ("read", "bash", "edit", "write")
MOST_MISFITS = 20
"""So many numbers of tokens that are none are told one by one."""
MAX_TOKENS = 2**53 - 1
"""The largest number of tokens that a setting may name: JavaScript's largest safe integer."""

_SECTIONS = (("compaction",), ("compaction", "modelOverrides"), ("branchSummary",), ("retry",), ("rules",))


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

    @property
    def longest_pause_ms(self) -> float:
        """No longer pause is made, whatever a server asks for."""
        return self.max_retry_delay_ms or math.inf


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
        settings, misfits = _compaction(reader, _model_name(provider, model_id))
        for misfit in misfits:
            raise SettingError(reader.complaint(*misfit))
        return settings

    def usable_compaction(self, provider: str | None = None, model_id: str | None = None) -> CompactionSettings:
        """As `compaction`, but what is no number of tokens is passed over; `problems` tells of it."""
        return _compaction(Reader(self.values, self.layers), _model_name(provider, model_id))[0]


def effective(
    files: SettingsFiles,
    initialization: JsonObject | None = None,
    client: JsonObject | None = None,
    *,
    vouched: bool = False,
) -> Settings:
    """The settings in force. `initialization` and `client` are as the client sent them; a null there is no setting.

    `vouched`: the user has said that the workspace is trusted.
    """
    layers = (
        Layer(values=files.user.values, file=files.user),
        Layer(values=files.project.values, file=files.project),
        Layer(values=_without_nulls(initialization or {}), name="the settings of initialize"),
        Layer(values=_without_nulls(client or {}), name="the editor's settings"),
    )
    dropped = tuple(_dropped(layers, vouched=vouched))
    reader = Reader(merge(*(layer.values for layer in layers), vouched=vouched), layers)
    own = Reader(files.user.values, layers[:1])
    for section in _SECTIONS:
        if (value := reader.get(*section)) is not None and not isinstance(value, dict):
            reader.report(section, value, "an object")
    _report_compaction(reader)
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
    return msgspec.structs.replace(read, problems=(*reader.problems, *own.problems, *dropped))


def merge(
    user: JsonObject,
    project: JsonObject | None = None,
    initialization: JsonObject | None = None,
    client: JsonObject | None = None,
    *,
    vouched: bool = False,
) -> JsonObject:
    """All settings, weak ones first, without those that a place may not set (USER_ONLY, TRUSTED_ONLY)."""
    merged = user
    for layer, of_client in ((project, False), (initialization, True), (client, True)):
        denied = _denied(of_client=of_client, vouched=vouched)
        merged = overlay(merged, {key: value for key, value in (layer or {}).items() if key not in denied})
    return merged


def _denied(*, of_client: bool, vouched: bool) -> frozenset[str]:
    """What a place other than the user's own file may not set."""
    return USER_ONLY if vouched or not of_client else USER_ONLY | TRUSTED_ONLY


def _dropped(layers: Sequence[Layer], *, vouched: bool) -> Iterator[SettingsProblem]:
    """What `merge` leaves out. Layers are the user's, the project's, and the two of the client."""
    for layer in layers[1:]:
        file = layer.file
        for key in sorted(_denied(of_client=file is None, vouched=vouched).intersection(layer.values)):
            why = "only your own settings.json may set it" if key in USER_ONLY else "you have not trusted this folder"
            yield SettingsProblem(
                key=key,
                message=f"{key} (in {file.path if file else layer.name}) is not used: {why}",
                path=file and file.path,
                line=file and file.line_of([key]),
            )


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


class _Misfit(NamedTuple):
    keys: tuple[str, ...]
    value: Json
    expected: str


def _model_name(provider: str | None, model_id: str | None) -> str | None:
    return None if provider is None or model_id is None else f"{provider}/{model_id}"


def _compaction(reader: Reader, model: str | None) -> tuple[CompactionSettings, list[_Misfit]]:
    """The settings for a model (`provider/id`), without the values that do not fit, and these."""
    misfits: list[_Misfit] = []
    override = ("compaction", "modelOverrides", model) if model is not None else ()
    has_override = bool(override) and reader.has(*override)

    def tokens(name: str, default: int) -> int:
        best = default
        for keys in (("compaction", name), *([(*override, name)] if has_override else ())):
            if not isinstance(place := reader.get(*keys[:-1]), dict):
                if keys[:-1] == override and not any(misfit.keys == override for misfit in misfits):
                    misfits.append(_Misfit(override, place, "an object"))
                continue
            value = reader.get(*keys)
            if is_whole(value) and 0 <= value <= MAX_TOKENS:
                best = int(value)
            elif reader.has(*keys):
                misfits.append(_Misfit(keys, value, f"a whole number from 0 to {MAX_TOKENS}"))
        return best

    enabled, default = reader.get("compaction", "enabled"), CompactionSettings()
    settings = CompactionSettings(
        enabled=enabled if isinstance(enabled, bool) else default.enabled,
        reserve_tokens=tokens("reserveTokens", default.reserve_tokens),
        keep_recent_tokens=tokens("keepRecentTokens", default.keep_recent_tokens),
    )
    return settings, misfits


def _report_compaction(reader: Reader) -> None:
    """Note what does not fit in the settings of any model."""
    reader.flag("compaction", "enabled", default=True)
    misfits = _compaction(reader, None)[1]
    for model in as_object(reader.get("compaction", "modelOverrides")):
        misfits += (misfit for misfit in _compaction(reader, model)[1] if "modelOverrides" in misfit.keys[:2])
    for misfit in misfits[:MOST_MISFITS]:
        reader.report(*misfit)
    if (more := len(misfits) - MOST_MISFITS) > 0:
        message = f"{more} more values in compaction.modelOverrides are not used"
        reader.problems.append(SettingsProblem(key="compaction.modelOverrides", message=message))


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
