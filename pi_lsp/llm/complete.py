"""One question to a model that stands for itself: what the summariser asks with."""

from collections.abc import Callable

from pi_lsp.context.finish import finish
from pi_lsp.context.model import Model
from pi_lsp.llm.contract import ChatRequest, Complete, CompletionRequest, Provider
from pi_lsp.llm.failure import Failure
from pi_lsp.session.messages import Message


def completer(
    provider: Provider,
    model: Model,
    *,
    max_tokens: int | None = None,
    on_failure: Callable[[Failure], object] = lambda _: None,
) -> Complete:
    """A way to ask `model`, once each time: `retry.with_retries` around it makes it patient.

    Nothing is written to the provider's cache, since no request will repeat this one. It thinks as much as the
    request says, so that thinking does not eat up what is there for the answer.

    Args:
        provider: reaches the model.
        model: the model that is asked.
        max_tokens: the most that it may answer; by default all that it can.
        on_failure: is given what is known of a failure beside the answer's text, before that answer.
    """

    async def complete(request: CompletionRequest) -> Message:
        said: list[Message] = [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.prompt},
        ]
        chat = ChatRequest(
            messages=finish(said, model).messages,
            model=model,
            level=request.reasoning or "off",
            max_tokens=max_tokens,
            cache=False,
            session_id=request.session_id,
        )
        stream = provider.open(chat)
        answer = await stream.read()
        if stream.failure:
            on_failure(stream.failure)
        return answer

    return complete
