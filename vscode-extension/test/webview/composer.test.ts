// @vitest-environment jsdom
import { afterEach, describe, expect, it } from "vitest";
import type { FromPage } from "../../src/chat/messages";
import { Composer, type Draft } from "../../webview/chat/composer";

function compose(): { composer: Composer; field: HTMLTextAreaElement; posted: FromPage[]; drafts: Draft[]; refused: string[] } {
  const [posted, drafts, refused]: [FromPage[], Draft[], string[]] = [[], [], []];
  const doing = { post: (message: FromPage) => posted.push(message), changed: (draft: Draft) => drafts.push(draft), refused: (why: string) => refused.push(why) };
  const composer = new Composer(doing, document.createElement("div"));
  document.body.append(composer.element);
  const field = composer.element.querySelector("textarea");
  if (!field) throw new Error("no field");
  return { composer, field, posted, drafts, refused };
}
afterEach(() => { document.body.replaceChildren(); });

const press = (field: HTMLElement, key: string, more: KeyboardEventInit = {}): boolean =>
  field.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true, bubbles: true, ...more }));

/** A paste or drop with these files and texts, which jsdom knows only as events. */
function bring(target: HTMLElement, kind: "paste" | "drop", files: File[], texts: Record<string, string> = {}): void {
  const event = new Event(kind, { bubbles: true, cancelable: true });
  const data = { files, getData: (type: string) => texts[type] ?? "" };
  Object.defineProperty(event, kind === "paste" ? "clipboardData" : "dataTransfer", { value: data });
  target.dispatchEvent(event);
}
const sent = (posted: FromPage[]): FromPage[] => posted.filter(({ type }) => type === "send");
const png = (bytes = 3): File => new File([new Uint8Array(bytes)], "shot.png", { type: "image/png" });
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe("the text field", () => {
  it("sends with Enter, and makes a line with Shift+Enter", () => {
    const { field, posted } = compose();
    field.value = "hello";
    press(field, "Enter", { shiftKey: true });
    expect(posted).toEqual([]);
    press(field, "Enter");
    expect(posted).toEqual([{ type: "send", text: "hello", mode: "steer", images: [], attachments: [] }]);
    expect(field.value).toBe("");
  });

  it("leaves Enter and Escape to an input method", () => {
    const { composer, field, posted } = compose();
    composer.setRunning(true);
    field.value = "にほん";
    press(field, "Enter", { isComposing: true });
    press(field, "Escape", { isComposing: true });
    expect(posted).toEqual([]);
    expect(field.value).toBe("にほん");
  });

  it("steers a running answer, queues with Alt, stops with Escape", () => {
    const { composer, field, posted } = compose();
    composer.setRunning(true);
    field.value = "a";
    press(field, "Enter");
    field.value = "b";
    press(field, "Enter", { altKey: true });
    press(field, "Escape");
    expect(posted.map((message) => ("mode" in message ? message.mode : message.type))).toEqual(["steer", "followUp", "abort"]);
  });

  it("leaves the field with Shift+Tab, and what was asked for meanwhile does not open", () => {
    const { composer, field, posted } = compose();
    const list = composer.element.querySelector<HTMLElement>(".completions");
    Element.prototype.scrollIntoView = () => undefined;
    field.value = "/re";
    field.setSelectionRange(3, 3);
    field.dispatchEvent(new Event("input"));
    expect(posted).toEqual([{ type: "complete", query: "/re" }]);
    const items = [{ label: "/review", detail: "", insert: "/review " }];
    composer.offer("/re", items);
    expect(press(field, "Tab", { shiftKey: true })).toBe(true); // the browser may take it
    expect(field.value).toBe("/re");
    field.dispatchEvent(new Event("blur"));
    composer.offer("/re", items);
    expect(list?.hidden).toBe(true);
  });

  it("takes its direction from the text", () => {
    expect(compose().field.dir).toBe("auto");
  });
});

describe("what goes along", () => {
  it.each(["paste", "drop"] as const)("takes an image by %s, and sends it without a word", async (kind) => {
    const { composer, field, posted } = compose();
    bring(field, kind, [png()]);
    await until(() => composer.element.querySelectorAll(".chip").length === 1);
    press(field, "Enter");
    expect(sent(posted)).toMatchObject([{ text: "", images: [{ mimeType: "image/png", data: "AAAA" }] }]);
    expect(composer.element.querySelectorAll(".chip")).toHaveLength(0);
  });

  it("pastes the text where there is a picture of it too", () => {
    const { composer, field, refused } = compose();
    bring(field, "paste", [png()], { "text/plain": "a\tb" });
    expect(composer.element.querySelectorAll(".chip")).toHaveLength(0);
    expect(refused).toEqual([]);
  });

  it.each([
    [png(8 * 1024 * 1024), "larger than 7.5 MB"],
    [new File(["<svg/>"], "a.svg", { type: "image/svg+xml" }), "of a kind that models do not take"],
    [new File(["x"], "a.zip", { type: "application/zip" }), "Only images"],
  ])("says what it does not take", (file, why) => {
    const { field, refused } = compose();
    bring(field, "drop", [file]);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toContain(why);
  });

  it("hands files of the explorer to the extension", () => {
    const { field, posted } = compose();
    bring(field, "drop", [], { "text/uri-list": "file:///w/a.ts\r\nhttps://example.org/\r\nfile:///w/b.ts" });
    expect(posted).toEqual([{ type: "drop", uris: ["file:///w/a.ts", "file:///w/b.ts"] }]);
  });

  it("stands there again when it could not be sent, before what was written meanwhile", () => {
    const { composer, field, posted } = compose();
    const attachment = { uri: "file:///w/a.ts", label: "a.ts" };
    field.value = "new words";
    composer.put("old words", { attachments: [attachment, attachment], images: [{ mimeType: "image/png", data: "AAAA" }] });
    expect(field.value).toBe("old words\nnew words");
    expect(composer.element.querySelectorAll(".chip")).toHaveLength(2);
    press(field, "Enter");
    expect(sent(posted)).toMatchObject([{ attachments: [attachment], images: [{ data: "AAAA" }] }]);
  });

  it("is kept over a reload, but for images, which the extension keeps", () => {
    const { composer, drafts, posted } = compose();
    composer.put("words", { attachments: [{ uri: "file:///w/a.ts", label: "a.ts" }], images: [{ mimeType: "image/png", data: "AAAA" }] });
    expect(drafts.at(-1)).toEqual({ text: "words", attachments: [{ uri: "file:///w/a.ts", label: "a.ts" }] });
    expect(posted).toEqual([{ type: "images", images: [{ mimeType: "image/png", data: "AAAA" }] }]);
  });

  it("has a name for screen readers on every button", () => {
    const { composer } = compose();
    composer.put("", { attachments: [{ uri: "file:///w/a.ts", label: "a.ts" }], images: [] });
    for (const button of composer.element.querySelectorAll("button")) expect(button.getAttribute("aria-label")).toBeTruthy();
  });
});
