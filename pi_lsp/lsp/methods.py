"""The pi/ methods over LSP: params are read strictly, refusals become errors of the protocol."""

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from lsprotocol.types import LSPErrorCodes
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidParams

from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.api.methods import METHODS, Method
from pi_lsp.api.progress import ProgressParams
from pi_lsp.lsp.showing import Screen
from pi_lsp.session.errors import EntryNotFoundError, SessionError

if TYPE_CHECKING:
    from pi_lsp.agent.window import Window
    from pi_lsp.base.json import Json

logger = logging.getLogger(__name__)

_BY_NAME = {method.name: method for method in METHODS}


async def answer_named(name: str, window: "Window", params: "Json", screen: Screen) -> Any:
    """As `answer`, for a method by its name."""
    return await answer(_BY_NAME[name], window, params, screen)


async def answer(method: Method, window: "Window", params: "Json", screen: Screen | None = None) -> Any:
    """Read the params, call the method, and raise what goes wrong as an error that a client understands.

    `screen` shows the progress that the params may ask for.
    """
    try:
        read = msgspec.convert({} if params is None else params, method.params, strict=True)
    except msgspec.ValidationError as error:
        raise invalid_params([str(error)]) from None
    except UnicodeEncodeError:  # msgspec compares names and choices as UTF-8
        raise invalid_params(["half a character (a lone surrogate) where no text may hold one"]) from None
    try:
        if screen and method.title and isinstance(read, ProgressParams) and read.work_done_token is not None:
            work = partial(method.call, window, read)
            return await screen.progress(method.title, work, token=read.work_done_token)
        return await method.call(window, read)
    except ParamsError as error:
        raise invalid_params(error.errors) from None
    except RefusedError as error:
        raise refused(error.reason, str(error)) from None
    except EntryNotFoundError as error:
        raise refused("notFound", str(error)) from None
    except SessionError as error:
        raise refused("invalidSession", str(error)) from None
    except asyncio.CancelledError:
        raise
    except Exception as error:
        logger.exception("%s failed", method.name)
        raise JsonRpcInternalError(f"{type(error).__name__}: {error}") from None


def invalid_params(errors: list[str]) -> JsonRpcException:
    """-32602 with one line for each misfit, in wire names."""
    return JsonRpcInvalidParams(JsonRpcInvalidParams.MESSAGE, data={"errors": errors})


def refused(reason: str, message: str) -> JsonRpcException:
    """-32803 with the reason that a client acts on."""
    return JsonRpcException(message, LSPErrorCodes.RequestFailed, {"reason": reason})
