// @vitest-environment jsdom
import { describe, expect, it, vi } from "vitest";
import type { PiEvent } from "../../src/protocol/methods";
import { List } from "../../webview/chat/list";
import { Transcript } from "../../webview/chat/transcript";

/** jsdom is slow, and so may be the machine. */
const PATIENT = { timeout: 10_000 };
vi.setConfig({ testTimeout: 30_000 });

/** jsdom lays nothing out. */
class NoLayout {
  observe(): void {
    // there is nothing to see
  }
}
Object.assign(globalThis, { ResizeObserver: NoLayout });

const said = (index: number) => ({ type: "message", id: `m${index}`, message: { role: index % 2 ? "assistant" : "user", content: `text ${index}` } });
const all = (count: number, from = 0) => Array.from({ length: count }, (_, index) => said(from + index));
const frames = async (): Promise<void> => {
  for (let times = 0; times < 4; times++) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 5)));
};

function listed() {
  const asked = { earlier: 0, leave: 0 };
  const nothing = (): void => undefined;
  const transcript = new Transcript();
  const actions = { copy: nothing, resend: nothing, openEntry: nothing, openFile: nothing, openLink: nothing, command: nothing, earlier: () => { asked.earlier++; }, leave: () => { asked.leave++; } };
  const list = new List(transcript, actions);
  document.body.replaceChildren(list.element);
  const shown = (): string[] => [...list.element.querySelectorAll(".item")].map((item) => item.querySelector(".text")?.textContent.trim() ?? "");
  const earlier = (): HTMLElement | null => list.element.querySelector("button.earlier");
  return { transcript, list, asked, shown, earlier };
}

describe("the list", () => {
  it("paints the newest, and the others only when they are asked for", async () => {
    const { transcript, list, shown, earlier, asked } = listed();
    transcript.reset(all(500));
    list.clear(false);
    await vi.waitFor(() => { expect(shown()).toHaveLength(60); }, PATIENT);
    expect(shown().at(-1)).toBe("text 499");
    expect(earlier()?.textContent).toBe("Show earlier messages (440)");
    earlier()?.click();
    expect(shown()).toHaveLength(180);
    for (let times = 0; times < 3; times++) earlier()?.click();
    expect(shown()[0]).toBe("text 0");
    expect(earlier()).toBeNull();
    expect(asked.earlier).toBe(0);
  });

  it("asks for what is not on the page, and shows it before the rest", async () => {
    const { transcript, list, shown, earlier, asked } = listed();
    transcript.reset(all(100, 50));
    list.clear(true);
    await frames();
    earlier()?.click();
    expect(asked.earlier).toBe(1);
    transcript.prepend(all(50));
    list.prepended(false);
    expect(shown()).toEqual(all(150).map(({ message }) => message.content));
  });

  it("shows each running answer as its own, however alike they are", async () => {
    const { transcript, list, shown } = listed();
    transcript.reset([said(0)]);
    list.clear(false);
    const play = async (...events: PiEvent[]): Promise<void> => {
      for (const event of events) transcript.happened(event);
      list.update();
      await Promise.resolve();
    };
    const shows = (...texts: string[]): Promise<void> => vi.waitFor(() => { expect(shown()).toEqual(texts); }, PATIENT);
    const start: PiEvent = { type: "message_start", role: "assistant" };
    const delta = (text: string): PiEvent => ({ type: "message_delta", block: 0, kind: "text", delta: text });
    await play(start, delta("first"));
    await shows("text 0", "first");
    await play({ type: "agent_end", stopReason: "cancelled" }, start, delta("second"));
    await shows("text 0", "second");
  });
});
