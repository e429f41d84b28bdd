"""`pi/trust/set`: whether what a workspace brings along may be used."""

import asyncio

from pi_lsp.agent.events import ResourcesChanged
from pi_lsp.agent.window import Window
from pi_lsp.api.errors import RefusedError
from pi_lsp.base.wire import Wire
from pi_lsp.resources.trust import TrustStoreError, TrustUpdate, save


class TrustParams(Wire, frozen=True, kw_only=True):
    """`remember`: write the decision into Pi's trust.json, where Pi finds it too."""

    trusted: bool
    remember: bool = False


class TrustResult(Wire, frozen=True, kw_only=True):
    """What holds now."""

    trusted: bool


async def set_trust(window: Window, params: TrustParams) -> TrustResult:
    """Trust the working directory, or stop trusting it, in this window and, if asked, from now on.

    Raises RefusedError where the decision cannot be remembered; then nothing has changed.
    """
    await window.ready()
    if params.remember:
        update = TrustUpdate(path=window.place, decision=params.trusted)
        try:
            await asyncio.to_thread(save, [update], window.workspace.agent_dir)
        except (TrustStoreError, OSError) as error:
            raise RefusedError("readOnly", f"the decision could not be remembered: {error}") from error
    window.workspace.trust_override = params.trusted
    window.emit(ResourcesChanged(rules=True, skills=True, settings=True))
    return TrustResult(trusted=window.trust().trusted)
