"""Places in params: what a client typed as a path, or spelled as a URI."""

from pi_lsp.api.errors import ParamsError
from pi_lsp.base.paths import FileUrlError, can_exist, resolve, uri_to_path


def path_of(name: str, given: str) -> str:
    """The absolute path that a param means; nothing need stand there. Raises ParamsError for what no file can be."""
    try:
        path = uri_to_path(given) or resolve(given)
    except FileUrlError as error:
        raise ParamsError(f"{name}: {error}") from None
    if not can_exist(path):
        raise ParamsError(f"{name}: no file can have this name")
    return path
