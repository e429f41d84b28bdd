"""What a request holds where a history lacks something; what it holds else is compared with Pi by the vectors."""

from pi_lsp.llm.messages import anthropic_messages


def test_what_a_block_does_not_say_is_not_sent() -> None:
    answer = {"role": "assistant", "content": [{"type": "toolCall"}, {"type": "thinking", "redacted": True}]}
    result = {"role": "toolResult", "content": [{"type": "text", "text": "r"}, {"type": "image"}]}
    image = {"type": "image", "source": {"type": "base64"}}
    assert anthropic_messages([answer, result, {"role": "user", "content": [{"type": "image"}]}]) == [
        {"role": "assistant", "content": [{"type": "tool_use", "input": {}}, {"type": "redacted_thinking"}]},
        {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "r"}, image]}]},
        {"role": "user", "content": [image]},
    ]
