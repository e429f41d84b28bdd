"""The strict Messages API in a process of its own, telling when each request came and when its answer went.

`python -m tests.bench.model_server REPLIES` (a JSON list of replies' fields) prints its address, then for each request
`{"came": ..., "first": ..., "last": ...}`: when it was read whole, before its first delta was written, and before its
last event was; on the clock of `time.perf_counter`, which all processes of a machine share where that is monotonic.
"""

import asyncio
import json
import sys
import time
from pathlib import Path

from tests.support.api_server import ApiServer
from tests.support.api_server_http import HttpRequest
from tests.support.api_server_replies import Reply


class TellingServer(ApiServer):
    """The server, which tells its times."""

    async def _answer(self, http: HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came = time.perf_counter()
        before = len(self.requests)
        await super()._answer(http, reader, writer)
        [record] = self.requests[before:]
        if record.rule:
            raise SystemExit(f"refused: {record.rule}")
        first = next(at for name, at in record.sent if name == "content_block_delta")
        print(json.dumps({"came": came, "first": first, "last": record.sent[-1][1]}), flush=True)


async def serve(replies: list[Reply]) -> None:
    server = TellingServer()
    server.replies = replies
    await server.start()
    print(server.url, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve([Reply(**reply) for reply in json.loads(Path(sys.argv[1]).read_text("utf-8"))]))
