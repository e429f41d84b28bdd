"""How a model answers, and how it does not."""

from tests.support.api_server_replies import Reply

REPLIES: dict[str, Reply] = {
    "good": Reply(text="A good answer."),
    "thinking": Reply(thinking="Hm.", text="A thoughtful answer."),
    "tool": Reply(tools=[{"id": "toolu_1", "name": "read", "input": {"path": "a"}}]),
    "cut tool": Reply(tools=[{"id": "toolu_1", "name": "bash", "input": '{"command": "l'}], stop_reason="max_tokens"),
    "cut": Reply(text="cut at the lim", stop_reason="max_tokens"),
    "blank": Reply(text=" \n"),
    "empty": Reply(text=""),
    "slow": Reply(text="it takes its time, piece by piece", delay_s=0.003),
    "no reason": Reply(text="no stop reason", drop_stop_reason=True),
    "refusal": Reply(text="I cannot.", stop_reason="refusal"),
    "overloaded": Reply(status=529, error="Overloaded"),
    "too many": Reply(status=429, headers={"retry-after": "0"}),
    "broken": Reply(status=500, body="<html>no</html>"),
    "too long": Reply(status=400, error="prompt is too long: 210000 tokens > 200000 maximum"),
    "key": Reply(status=401, error="invalid x-api-key"),
    "error event": Reply(text="an error in the midst of it", error_after=4),
    "connection": Reply(text="the connection breaks", cut_after=4),
    "short": Reply(text="the stream just ends", end_after=3),
    "page": Reply(body="<html>a page of a proxy</html>"),
}
