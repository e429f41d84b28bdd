// @vitest-environment jsdom
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { PiEvent } from "../../src/protocol/methods";
import { paint } from "../../webview/chat/items";
import { Transcript, type ToolCall } from "../../webview/chat/transcript";

const SAMPLE = readFileSync(path.join(import.meta.dirname, "../../../pi_lsp/sample/session.jsonl"), "utf8");
const entries = SAMPLE.trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Record<string, unknown>);

const message = (id: string, role: string, content: unknown, more = {}) => ({ type: "message", id, message: { role, content, ...more } });
const actions = { copy: () => undefined, resend: () => undefined, openEntry: () => undefined, openFile: () => undefined, openLink: () => undefined, command: () => undefined };

function tools(transcript: Transcript): ToolCall[] {
  return transcript.items.flatMap((item) => item.blocks).filter((block) => block.kind === "tool");
}

describe("a stored conversation", () => {
  it("shows the sample, each tool call with its result", () => {
    const transcript = new Transcript();
    transcript.reset(entries);
    expect(transcript.items[0]?.blocks[0]).toMatchObject({ kind: "text", text: expect.stringContaining("midnight") as string });
    expect(new Set(transcript.items.map((item) => item.kind))).toEqual(new Set(["user", "assistant", "compaction", "branch", "shell"]));
    expect(tools(transcript).length).toBeGreaterThan(10);
    expect(tools(transcript).filter((call) => !call.result)).toEqual([]);
    for (const item of transcript.items) expect(paint(item, actions).getAttribute("aria-label")).toBeTruthy();
  });

  it("takes an entry once", () => {
    const transcript = new Transcript();
    transcript.reset([message("a", "user", "hello")]);
    transcript.add(message("a", "user", "hello"));
    expect(transcript.items).toHaveLength(1);
  });

  it("drops a failed attempt that was made again", () => {
    const transcript = new Transcript();
    transcript.reset([
      message("a", "assistant", [], { stopReason: "error", errorMessage: "busy" }),
      message("b", "assistant", "half", { stopReason: "aborted" }),
    ]);
    expect(transcript.items).toMatchObject([{ error: "busy" }, { error: "", ending: "Stopped." }]);
    for (const targetId of ["a", "b"]) transcript.add({ type: "context_edit", id: `edit ${targetId}`, targetId, replacement: null });
    expect(transcript.items.map((item) => item.id)).toEqual(["b"]);
  });

  it("is put together from pages that come from the end", () => {
    const whole = new Transcript();
    whole.reset(entries);
    const failed = message("a", "assistant", [], { stopReason: "error", errorMessage: "busy" });
    for (const cut of [1, 7, 12, 20]) {
      const paged = new Transcript();
      paged.reset(entries.slice(cut));
      paged.prepend(entries.slice(0, cut));
      expect(paged.items).toEqual(whole.items);
      paged.prepend(entries.slice(0, cut));
      expect(paged.items).toHaveLength(whole.items.length);
    }
    const paged = new Transcript();
    paged.reset([{ type: "context_edit", id: "c", targetId: "a", replacement: null }], { role: "assistant", content: "running" });
    paged.prepend([message("u", "user", "hi"), failed]);
    paged.happened({ type: "message_delta", block: 0, kind: "text", delta: " on" });
    expect(paged.items).toMatchObject([{ id: "u" }, { live: true, blocks: [{ text: "running on" }] }]);
  });

  it.each([
    [{ type: "message", id: 7, message: null }],
    [{ type: "message", id: "a", message: { role: "assistant", content: [null, 3, { type: "toolCall", arguments: "no" }] } }],
    [{ type: "compaction", id: "b", summary: { not: "text" } }],
    [{ id: "c" }],
    [message("d", "user", [{ type: "image", mimeType: "text/html", data: "<script>" }])],
    [message("e", "toolResult", "", { toolCallId: "unknown" })],
  ])("bears what other programs wrote: %j", (entry) => {
    const transcript = new Transcript();
    transcript.reset([entry]);
    for (const item of transcript.items) expect(paint(item, actions).querySelector("script, img")).toBeNull();
  });
});

describe("text that would read otherwise than it is", () => {
  it("shows controls of direction as what they are, wherever they stand", () => {
    const hostile = "rm \u202e~ fr-\u202c \u2066x\u2069";
    const transcript = new Transcript();
    transcript.reset([
      message("a", "user", hostile),
      message("b", "assistant", [{ type: "text", text: `**${hostile}**\n\n\`\`\`sh\n${hostile}\n\`\`\`` }, { type: "toolCall", id: "t", name: hostile, arguments: { command: hostile } }]),
      message("c", "toolResult", hostile, { toolCallId: "t" }),
    ]);
    for (const item of transcript.items) {
      const element = paint(item, actions);
      expect(element.outerHTML).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/u);
      expect(element.querySelector(".control")?.getAttribute("aria-label")).toBe("U+202E");
    }
  });

  it("leaves languages that run from right to left alone", () => {
    const transcript = new Transcript();
    transcript.reset([message("a", "user", "שלום \u200f עולם")]);
    const [item] = transcript.items;
    expect(item && paint(item, actions).querySelector(".text")?.textContent).toBe("שלום \u200f עולם");
  });
});

describe("a running answer", () => {
  const play = (transcript: Transcript, ...events: PiEvent[]): void => {
    for (const event of events) transcript.happened(event);
  };

  it("grows by deltas and is replaced by what is stored", () => {
    const transcript = new Transcript();
    transcript.reset([message("a", "user", "hi")]);
    play(
      transcript,
      { type: "message_start", role: "assistant" },
      { type: "message_delta", block: 0, kind: "thinking", delta: "hm" },
      { type: "message_delta", block: 1, kind: "text", delta: "Hel" },
      { type: "message_delta", block: 1, kind: "text", delta: "lo" },
    );
    expect(transcript.items.at(-1)).toMatchObject({ live: true, blocks: [{ text: "hm" }, { text: "Hello" }] });
    const stored = { role: "assistant", content: [{ type: "text", text: "Hello." }] };
    play(transcript, { type: "message_end", message: stored, entryId: "b" });
    transcript.add({ type: "message", id: "b", message: stored });
    expect(transcript.items.map((item) => [item.id, item.live])).toEqual([["a", false], ["b", false]]);
  });

  it("is there again after a reload, and goes on", () => {
    const transcript = new Transcript();
    transcript.reset([], { role: "assistant", content: [{ type: "text", text: "Once upon" }] });
    play(transcript, { type: "message_delta", block: 0, kind: "text", delta: " a time" });
    expect(transcript.items).toMatchObject([{ live: true, blocks: [{ text: "Once upon a time" }] }]);
    play(transcript, { type: "agent_end", stopReason: "cancelled" });
    expect(transcript.items).toEqual([]);
  });

  it("stays as it is in memory over 10,000 deltas", () => {
    const transcript = new Transcript();
    transcript.reset([]);
    play(transcript, { type: "message_start", role: "assistant" });
    for (let index = 0; index < 10_000; index++) play(transcript, { type: "message_delta", block: 0, kind: "text", delta: "x" });
    expect(transcript.items).toHaveLength(1);
    expect(transcript.items[0]?.blocks).toMatchObject([{ text: "x".repeat(10_000) }]);
  });

  it("lets nothing turn for ever", () => {
    const transcript = new Transcript();
    transcript.reset([message("a", "assistant", [{ type: "toolCall", id: "t", name: "bash", arguments: {} }])]);
    const spins = (): number => transcript.items.filter((item) => paint(item, actions).querySelector(".codicon-modifier-spin")).length;
    expect(spins()).toBe(0); // of another program's calls nobody knows
    play(transcript, { type: "tool_start", toolCallId: "t", tool: "bash", arguments: {} }, { type: "message_start", role: "assistant" });
    expect(spins()).toBe(2);
    transcript.stop();
    expect(spins()).toBe(0);
  });

  it("draws a live tool call and what comes of it", () => {
    const transcript = new Transcript();
    transcript.reset([message("a", "assistant", [{ type: "toolCall", id: "t", name: "bash", arguments: { command: "make <b>" } }])]);
    play(transcript, { type: "tool_update", toolCallId: "t", delta: "half" });
    expect(tools(transcript)[0]?.output).toBe("half");
    play(transcript, { type: "tool_end", toolCallId: "t", isError: true, preview: "exit 2" });
    const card = paint(transcript.items[0] as never, actions);
    expect(card.querySelector(".tool-line")?.textContent).toBe("make <b>");
    expect(card.querySelector(".tool-state.failed")).not.toBeNull();
  });
});
