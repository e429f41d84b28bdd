import { describe, expect, it } from "vitest";
import { Feed } from "../../src/chat/feed";
import type { StoredEntry, ToPage } from "../../src/chat/messages";
import type { Happened } from "../../src/protocol/methods";
import type { Server, Status } from "../../src/server/server";

const entry = (index: number): StoredEntry => ({ type: "message", id: `e${index}`, message: { role: "user", content: `${index}` } });

/** A server with a session of so many entries, as far as the feed knows it. */
class Fake {
  status: Status = "ready";
  asked: [string, Record<string, unknown>][] = [];
  running: { seq: number; message: object } | null = null;
  private listeners: ((event: Happened) => void)[] = [];

  constructor(public size: number) {}

  onStatus = (listener: () => void) => {
    this.becomes = listener;
    return { dispose: () => undefined };
  };
  becomes = (): void => undefined;
  onEvent = (listener: (event: Happened) => void) => {
    this.listeners.push(listener);
    return { dispose: () => undefined };
  };
  happen(event: object): void {
    for (const listener of this.listeners) listener(event as Happened);
  }
  request = (method: string, params: { before?: string; after?: string; limit?: number }): Promise<unknown> => {
    this.asked.push([method, params]);
    if (method === "pi/state") return Promise.resolve({ running: this.running });
    if (params.after) {
      const from = Number(params.after.slice(1)) + 1;
      if (from > this.size) return Promise.reject(Object.assign(new Error("gone"), { data: { reason: "notFound" } }));
      return Promise.resolve({ entries: Array.from({ length: this.size - from }, (_, index) => entry(from + index)) });
    }
    const end = params.before ? Number(params.before.slice(1)) : this.size;
    const start = Math.max(0, end - (params.limit ?? 0));
    const entries = Array.from({ length: end - start }, (_, index) => entry(start + index));
    return Promise.resolve({ entries, next: start ? `e${start}` : null });
  };
}

async function joined(fake: Fake): Promise<{ feed: Feed; heard: ToPage[]; page: (message: ToPage) => void }> {
  const feed = new Feed(fake as unknown as Server);
  const heard: ToPage[] = [];
  const page = (message: ToPage): void => void heard.push(message);
  feed.join(page);
  await settled();
  return { feed, heard, page };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
const ids = (message: ToPage | undefined): unknown[] => (message && "entries" in message ? message.entries.map(({ id }) => id) : []);

describe("the feed of a page", () => {
  it("begins with the newest, and goes back page by page to the first", async () => {
    const { feed, heard, page } = await joined(new Fake(450));
    expect(heard[0]).toMatchObject({ type: "reset", more: true });
    expect(ids(heard[0])).toHaveLength(200);
    expect(ids(heard[0]).at(-1)).toBe("e449");
    for (let times = 0; times < 4; times++) feed.earlier(page);
    await settled();
    const earlier = heard.filter(({ type }) => type === "earlier");
    expect(earlier.map((message) => [ids(message)[0], ids(message).at(-1), "more" in message && message.more])).toEqual([
      ["e50", "e249", true],
      ["e0", "e49", false],
    ]);
  });

  it("tells nothing twice of an answer that runs already", async () => {
    const fake = new Fake(3);
    fake.running = { seq: 7, message: { role: "assistant", content: [] } };
    const { heard } = await joined(fake);
    for (const seq of [6, 7, 8]) fake.happen({ type: "message_delta", block: 0, kind: "text", delta: `${seq}`, seq });
    await settled();
    expect(heard.slice(1)).toMatchObject([{ type: "event", event: { delta: "8" } }]);
  });

  it("keeps the order of what happens while it asks", async () => {
    const fake = new Fake(2);
    const { heard } = await joined(fake);
    fake.size = 3;
    fake.happen({ type: "entry_appended", entry: { entryId: "e2", type: "message" }, leafId: "e2", seq: 1 });
    fake.happen({ type: "turn_end", seq: 2 });
    await settled();
    expect(heard.slice(1).map(({ type }) => type)).toEqual(["entries", "event"]);
  });

  it("passes over what was said on another branch", async () => {
    const fake = new Fake(2);
    const { heard } = await joined(fake);
    fake.happen({ type: "entry_appended", entry: { entryId: "e9", type: "message" }, leafId: "e1", seq: 1 });
    await settled();
    expect(heard).toHaveLength(1);
  });

  it("brings every entry of a burst, once", async () => {
    const fake = new Fake(2);
    const { heard } = await joined(fake);
    fake.size = 5;
    for (const id of ["e2", "e3", "e4"]) fake.happen({ type: "entry_appended", entry: { entryId: id, type: "message" }, leafId: "e4", seq: 1 });
    await settled();
    expect(heard.slice(1).map(ids)).toEqual([["e2", "e3", "e4"]]);
  });

  it("begins anew where the leaf is on another path now", async () => {
    const fake = new Fake(5);
    const { heard } = await joined(fake);
    fake.size = 3;
    fake.happen({ type: "entry_appended", entry: { entryId: "x", type: "message" }, leafId: "e2", seq: 1 });
    await settled();
    expect(heard.slice(1).map((message) => [message.type, ids(message).at(-1)])).toEqual([["reset", "e2"]]);
  });

  it("shows the first entry of an empty session", async () => {
    const fake = new Fake(0);
    const { heard } = await joined(fake);
    fake.size = 1;
    fake.happen({ type: "entry_appended", entry: { entryId: "e0", type: "message" }, leafId: "e0", seq: 1 });
    await settled();
    expect(heard.slice(1).map(ids)).toEqual([["e0"]]);
  });

  it("says that there is no server, and begins anew when there is one", async () => {
    const fake = new Fake(2);
    const { heard } = await joined(fake);
    for (const status of ["starting", "failed", "ready"] as const) {
      fake.status = status;
      fake.becomes();
      await settled();
    }
    expect(heard.slice(1)).toMatchObject([{ type: "down", status: "starting" }, { type: "down", status: "failed" }, { type: "reset" }]);
  });

  it("tells the new name of a session", async () => {
    const fake = new Fake(2);
    const { heard } = await joined(fake);
    fake.size = 3;
    fake.happen({ type: "entry_appended", entry: { entryId: "e2", type: "session_info" }, leafId: "e2", seq: 1 });
    await settled();
    expect(heard.slice(1).map(({ type }) => type)).toEqual(["entries", "state"]);
  });

  it("is silent for a page that is gone", async () => {
    const fake = new Fake(2);
    const feed = new Feed(fake as unknown as Server);
    const heard: ToPage[] = [];
    const page = feed.join((message) => heard.push(message));
    await settled();
    page.dispose();
    fake.happen({ type: "turn_end", seq: 1 });
    await settled();
    expect(heard).toHaveLength(1);
  });
});
