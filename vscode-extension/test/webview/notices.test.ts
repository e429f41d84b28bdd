// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import type { FromPage } from "../../src/chat/messages";
import { Notices, retrying } from "../../webview/chat/notices";

function noticed() {
  const posted: FromPage[] = [];
  const notices = new Notices((message) => posted.push(message));
  document.body.replaceChildren(notices.element);
  const fields = (): HTMLInputElement[] => [...notices.element.querySelectorAll("input")];
  const shown = (): string[] => [...notices.element.querySelectorAll<HTMLElement>(".notice:not([hidden])")].map((one) => one.textContent.trim());
  const press = (title: string): void => [...notices.element.querySelectorAll("button")].find((one) => one.textContent === title)?.click();
  return { notices, posted, fields, shown, press };
}

describe("messages that wait", () => {
  it("stay under the person's hands while others come and go", () => {
    const { notices, posted, fields } = noticed();
    notices.showQueue({ steer: ["a", "b"], followUp: ["c"] });
    const [, edited] = fields();
    edited?.focus();
    if (edited) edited.value = "b, but longer";
    notices.showQueue({ steer: ["b"], followUp: ["c", "d"] }); // a was said, and d came
    expect(document.activeElement).toBe(edited);
    expect(fields().map(({ value }) => value)).toEqual(["b, but longer", "c", "d"]);
    edited?.dispatchEvent(new Event("change"));
    expect(posted).toEqual([{ type: "queue", queue: { steer: ["b, but longer"], followUp: ["c", "d"] } }]);
  });

  it("may say the same, and one of them is taken back", () => {
    const { notices, posted } = noticed();
    notices.showQueue({ steer: ["a", "a"], followUp: [] });
    notices.element.querySelectorAll<HTMLElement>(".queue button")[1]?.click();
    expect(posted).toEqual([{ type: "queue", queue: { steer: ["a"], followUp: [] } }]);
    notices.showQueue({ steer: [], followUp: [] });
    expect(notices.element.querySelector<HTMLElement>(".queue")?.hidden).toBe(true);
  });
});

describe("notices", () => {
  it("say why it is tried again as people would, and keep the provider's text at hand", () => {
    const { notices, shown } = noticed();
    const event = { operation: "chat" as const, reason: "the provider is busy", error: "429 rate_limit_error: no", attempt: 2, maxAttempts: 3, delayMs: 4000 };
    expect(retrying(event)).toBe("The provider is busy; trying again in 4 s (2 of 3).");
    notices.happened({ type: "retry_scheduled", ...event });
    expect(shown()).toEqual([retrying(event)]);
    expect(notices.element.querySelector<HTMLElement>(".notice:not([hidden])")?.title).toBe("429 rate_limit_error: no");
  });

  it("have a way out", () => {
    const { notices, posted, shown, press } = noticed();
    notices.fail("There is no API key for Anthropic yet.");
    press("Set API Key");
    expect(posted).toEqual([{ type: "command", name: "setApiKey" }]);
    expect(shown()).toEqual([]);
    notices.down("starting");
    expect(shown()).toEqual(["The Pi server is starting…"]);
    notices.down("failed");
    press("Restart Server");
    expect(posted.at(-1)).toEqual({ type: "command", name: "restart" });
  });

  it("are not kept for another conversation", () => {
    const { notices, shown } = noticed();
    notices.offer("Pi has not read a/AGENTS.md.", ["file:///a/AGENTS.md"]);
    notices.fail("no");
    notices.down("stopped");
    notices.clear();
    expect(shown()).toEqual([]);
  });
});
