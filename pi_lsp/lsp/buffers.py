"""Open documents, kept as the editor has them.

pygls 2.1 splits lines where Python does and not where editors do (a form feed or U+2028 shifts every later edit), and
puts an edit behind the end of the last line one character too early. Here an edit is applied to the text as a whole.
"""

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from pi_lsp.lsp.positions import split_lines, to_offset


class Document(TextDocument):
    """A document that takes its edits as LSP means them."""

    @property
    def lines(self) -> list[str]:
        """The lines with their ends."""
        return split_lines(self.source)

    def _apply_incremental_change(self, change: types.TextDocumentContentChangePartial) -> None:
        lines, encoding = self.lines, self.position_codec.encoding or types.PositionEncodingKind.Utf16
        start, end = (
            to_offset(lines, at.line, at.character, encoding) for at in (change.range.start, change.range.end)
        )
        text = self.source
        self._source = text[:start] + change.text + text[max(start, end) :]


class Documents(Workspace):
    """The open documents of a connection."""

    def _create_text_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> TextDocument:
        return Document(
            doc_uri,
            source=source,
            version=version,
            language_id=language_id,
            sync_kind=self._sync_kind,
            position_codec=self._position_codec,
        )
