"""What the engine raises, as the refusals that clients know."""

from collections.abc import Generator
from contextlib import contextmanager

from pi_lsp.agent.compacting import CompactionRefusedError
from pi_lsp.agent.operations import BusyError
from pi_lsp.agent.prompting import PromptError
from pi_lsp.agent.recording import MovedError
from pi_lsp.agent.speaking import NoModelError, UnknownModelError
from pi_lsp.agent.undoing import MessagesFollowError, NoCompactionError
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.resources.settings_read import SettingError
from pi_lsp.session.errors import EntryNotFoundError, SessionError, StaleTipError


@contextmanager
def refusals() -> Generator[None]:
    """Raise RefusedError or ParamsError in place of what is raised inside."""
    try:
        yield
    except BusyError as error:
        raise RefusedError("busy", str(error)) from error
    except CompactionRefusedError as error:
        raise RefusedError(error.reason, str(error)) from error
    except MessagesFollowError as error:
        raise RefusedError("messagesFollow", str(error)) from error
    except (EntryNotFoundError, NoCompactionError) as error:
        raise RefusedError("notFound", str(error)) from error
    except StaleTipError as error:
        raise RefusedError("staleTip", f"{error}; look at it, then try again") from error
    except MovedError as error:
        raise RefusedError("staleTip", str(error)) from error
    except NoModelError as error:
        raise RefusedError("noModel", str(error)) from error
    except UnknownModelError as error:
        raise RefusedError("notFound", str(error)) from error
    except PromptError as error:
        raise ParamsError(*error.errors) from error
    except SettingError as error:
        raise ParamsError(str(error)) from error
    except SessionError as error:
        raise RefusedError("invalidSession", str(error)) from error
    except OSError as error:
        raise RefusedError("readOnly", f"the session could not be written: {error}") from error
