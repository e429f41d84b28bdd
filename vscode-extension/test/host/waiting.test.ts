import { describe, expect, it } from "vitest";
import { Waiting } from "../../src/chat/waiting";
import type { Happened } from "../../src/protocol/methods";
import type { Status } from "../../src/server/server";

const NOBODY = 2 ** 22 + 1; // no process has this id

/** A window of the editor: its server, what it remembers, and what was given back. */
function windowOf(pid: number, store = new Map<string, unknown>()) {
  let hear: (event: Happened) => void = () => undefined;
  let become: (status: Status) => void = () => undefined;
  const listening = { dispose: () => undefined };
  const server = {
    pid,
    onEvent: (listener: (event: Happened) => void) => { hear = listener; return listening; },
    onStatus: (listener: (status: Status) => void) => { become = listener; return listening; },
  };
  const memory = {
    keys: () => [...store.keys()],
    get: (key: string) => store.get(key),
    update: (key: string, value: unknown) => { store.set(key, value); return Promise.resolve(); },
  };
  const given: string[] = [];
  const waiting = new Waiting(server, memory as never, (text) => given.push(text));
  const queue = (steer: string[], followUp: string[] = []): void => { hear({ type: "queue", steer, followUp, seq: 1 }); };
  return { waiting, queue, ready: () => { become("ready"); }, given, store };
}

describe("what waits to be said", () => {
  it("is given back once when its server has gone", () => {
    const { queue, ready, given } = windowOf(NOBODY);
    queue(["a"], ["b"]);
    ready();
    ready();
    expect(given).toEqual(["a\n\nb"]);
  });

  it("is known to be kept", () => {
    const { waiting, queue } = windowOf(NOBODY);
    queue(["a"], ["b"]);
    expect(["a", "b", "c"].map((text) => waiting.holds(text))).toEqual([true, true, false]);
  });

  it("is not given back when it was said", () => {
    const { queue, ready, given } = windowOf(NOBODY);
    queue(["a"]);
    queue([]);
    ready();
    expect(given).toEqual([]);
  });

  it("is given back after a reload, but not while another window's server has it", () => {
    const first = windowOf(process.pid);
    first.queue(["a"]);
    const second = windowOf(NOBODY, first.store);
    second.ready();
    expect(second.given).toEqual([]);
    const gone = windowOf(NOBODY);
    gone.queue(["a"]);
    const reloaded = windowOf(process.pid, gone.store);
    reloaded.ready();
    expect(reloaded.given).toEqual(["a"]);
  });

  it("is given back where the server says that it was not said, and not twice", () => {
    const { waiting, queue, ready, given } = windowOf(NOBODY);
    queue(["a"]);
    waiting.giveBack({ steer: ["a"], followUp: [] });
    ready();
    expect(given).toEqual(["a"]);
  });
});
