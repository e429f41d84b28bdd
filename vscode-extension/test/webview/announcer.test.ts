// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import type { PiEvent } from "../../src/protocol/methods";
import { Announcer } from "../../webview/chat/announcer";

const delta = (text: string, block = 0): PiEvent => ({ type: "message_delta", block, kind: "text", delta: text });

function said(...events: PiEvent[]): string[] {
  const announcer = new Announcer();
  for (const event of events) announcer.happened(event);
  return [...announcer.element.children].map((one) => one.textContent);
}

describe("what screen readers hear", () => {
  it("is an answer by its paragraphs, without marks, and its end", () => {
    const events = [{ type: "agent_start" } as PiEvent, delta("## Fir"), delta("st\n\nSec"), delta("**ond**"), delta("x", 1)];
    expect(said(...events)).toEqual(["Pi is answering.", "First", "Second"]);
    expect(said(...events, { type: "message_end", message: { role: "assistant" } }, { type: "agent_end", stopReason: "done" }).slice(3)).toEqual(["x", "The answer is complete."]);
  });

  it("is which tools are called, and why there is no answer", () => {
    const message = { role: "assistant", stopReason: "toolUse", content: [{ type: "toolCall", name: "bash" }] };
    expect(said({ type: "message_end", message })).toEqual(["It calls bash."]);
    const failed = { role: "assistant", stopReason: "error", errorMessage: "400 no" };
    expect(said({ type: "message_end", message: failed }, { type: "agent_end", stopReason: "error" })).toEqual(["400 no", "There is no answer."]);
  });

  it("is polite, and not all that was ever said", () => {
    const announcer = new Announcer();
    expect(announcer.element.getAttribute("aria-live")).toBe("polite");
    for (let index = 0; index < 100; index++) announcer.happened(delta(`${index}\n\n`));
    expect(announcer.element.childElementCount).toBe(20);
    expect(announcer.element.lastElementChild?.textContent).toBe("99");
    announcer.happened(delta(`${"y".repeat(5000)}\n\n`));
    expect(announcer.element.lastElementChild?.textContent.length).toBe(1001);
  });
});
