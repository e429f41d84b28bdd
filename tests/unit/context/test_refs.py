"""What a person recognises an entry by."""

import pytest

from pi_lsp.base.json import JsonObject
from pi_lsp.context.refs import message_preview, preview_of
from pi_lsp.context.wording import WORDING
from pi_lsp.session.entries import Entry

LED = f"{WORDING.branch_preamble}\n\n## Goal\nHalf-open intervals.\n\n## Next Steps\n1. Compare."
RESTORED = f"{WORDING.restored_lead}\n\nNever change the public JSON."


@pytest.mark.parametrize(
    ("body", "preview"),
    [
        ({"type": "compaction", "summary": "## Goal\n- Bookings that touch."}, "Bookings that touch."),
        ({"type": "branch_summary", "summary": LED}, "Half-open intervals. 1. Compare."),
        ({"type": "branch_summary", "summary": "Another program's words.\n\n# Goal\nDone."}, "Done."),
        ({"type": "branch_summary", "summary": "No headings at all."}, "No headings at all."),
        ({"type": "compaction", "summary": "## Goal\n"}, "## Goal"),
        ({"type": "compaction", "summary": 7}, ""),
        ({"type": "custom_message", "content": RESTORED}, "Never change the public JSON."),
        ({"type": "custom_message", "content": WORDING.restored_lead}, WORDING.restored_lead),
        ({"type": "custom_message", "content": [{"type": "text", "text": RESTORED}]}, "Never change the public JSON."),
    ],
)
def test_no_two_summaries_read_alike(body: JsonObject, preview: str) -> None:
    assert preview_of(Entry(str(body["type"]), "a", None, "", body)) == preview


def test_the_messages_made_of_them_read_the_same() -> None:
    assert message_preview({"role": "branchSummary", "summary": LED}) == "Half-open intervals. 1. Compare."
    assert message_preview({"role": "custom", "content": RESTORED}) == "Never change the public JSON."
    image: JsonObject = {"type": "image", "data": "", "mimeType": "image/png"}
    text: JsonObject = {"type": "text", "text": RESTORED}
    assert message_preview({"role": "custom", "content": [text, image]}) == "Never change the public JSON. [image]"
