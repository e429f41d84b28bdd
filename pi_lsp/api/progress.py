"""Methods that take long and can tell how far they are."""

from pi_lsp.base.wire import Wire


class ProgressParams(Wire, frozen=True, kw_only=True):
    """`work_done_token`: what is being done is told by LSP's work-done progress of that token, until the answer."""

    work_done_token: int | str | None = None
