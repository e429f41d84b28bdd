// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import { paint } from "../../webview/chat/items";
import { Transcript } from "../../webview/chat/transcript";
import { keepFocus, walk } from "../../webview/chat/walk";

const nothing = (): void => undefined;
const actions = { copy: nothing, resend: nothing, openEntry: nothing, openFile: nothing, openLink: nothing, command: nothing };
Element.prototype.scrollIntoView = nothing; // jsdom lays nothing out

let list: HTMLElement;
let left: number;
const press = (key: string): void => void document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const here = (): string | undefined => (document.activeElement as HTMLElement).dataset.id;
const offered = (): string[] => [...list.querySelectorAll("button")].filter(({ tabIndex }) => tabIndex === 0).map(({ ariaLabel, title }) => ariaLabel ?? title);

beforeEach(() => {
  const transcript = new Transcript();
  transcript.reset(["user", "assistant", "user"].map((role, index) => ({ type: "message", id: `m${index}`, message: { role, content: `text ${index}` } })));
  list = document.createElement("main");
  list.tabIndex = 0;
  list.append(...transcript.items.map((item) => paint(item, actions)));
  document.body.replaceChildren(list);
  left = 0;
  walk(list, () => { left++; });
  list.focus();
});

describe("the conversation by keys", () => {
  it("goes from message to message, from the newest on", () => {
    const seen = ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", "End", "ArrowDown", "Home"].map((key) => {
      press(key);
      return here();
    });
    expect(seen).toEqual(["m2", "m1", "m0", "m0", "m1", "m2", "m2", "m0"]);
  });

  it("stops on the way only at the buttons of the message that has the focus", () => {
    expect(offered()).toEqual([]);
    press("ArrowUp");
    expect(offered()).toHaveLength(3);
    press("ArrowUp");
    expect(offered()).toHaveLength(2);
    list.querySelector<HTMLElement>('[data-id="m1"] button')?.focus();
    expect(offered()).toHaveLength(2);
    press("ArrowUp"); // a button is no message
    expect(here()).toBeUndefined();
  });

  it("goes back to where one writes", () => {
    press("ArrowUp");
    press("Escape");
    expect(left).toBe(1);
  });

  it("keeps the focus on a message that is painted again", async () => {
    press("ArrowUp");
    const old = document.activeElement as HTMLElement;
    const next = old.cloneNode(true) as HTMLElement;
    keepFocus(old, next);
    old.replaceWith(next);
    await new Promise((resolve) => requestAnimationFrame(resolve));
    expect(document.activeElement).toBe(next);
  });
});
