/** Where the person writes: text, pieces of files, images, and what it is sent as. */
import type { Attachment, Completion, FromPage } from "../../src/chat/messages";
import type { Image } from "../../src/protocol/generated";
import { h, icon, iconButton } from "../base/dom";
import { completable, CompletionList } from "./completion";

const IMAGE_BYTES = 5 * 1024 * 1024;

export class Composer {
  private readonly field = h("textarea", {
    rows: "1",
    dir: "auto",
    placeholder: "Ask Pi",
    "aria-label": "Message to Pi",
    "aria-autocomplete": "list",
    "aria-controls": "completions",
    "aria-expanded": "false",
    role: "combobox",
  }) as HTMLTextAreaElement;
  private readonly chips = h("div.chips", { "aria-label": "Sent along" });
  private readonly completions = new CompletionList(this.field, (item) => { this.complete(item); });
  private readonly sendButton = h("button.send", { type: "submit", title: "Send (Enter)", "aria-label": "Send" }, icon("send"));
  private readonly stopButton = h("button.send.stop", { type: "button", title: "Stop (Escape)", "aria-label": "Stop", hidden: true, onclick: () => { this.stop(); } }, icon("debug-stop"));
  readonly element: HTMLElement;
  private attachments: Attachment[] = [];
  private images: Image[] = [];
  private running = false;
  private asked = "";

  constructor(
    private readonly post: (message: FromPage) => void,
    footer: HTMLElement,
    private readonly changed: (draft: string) => void,
  ) {
    const submit = (event: Event): void => {
      event.preventDefault();
      this.send(this.running ? "steer" : "prompt");
    };
    footer.append(h("span.grow"), this.stopButton, this.sendButton);
    this.element = h("form.composer", { onsubmit: submit }, this.completions.element, this.chips, this.field, footer);
    this.field.addEventListener("keydown", (event) => { this.press(event); });
    this.field.addEventListener("input", () => { this.typed(); });
    this.field.addEventListener("paste", (event) => { this.take(event.clipboardData, event); });
    this.element.addEventListener("dragover", (event) => { event.preventDefault(); });
    this.element.addEventListener("drop", (event) => { this.take(event.dataTransfer, event); });
    this.paintChips();
  }

  get draft(): string {
    return this.field.value;
  }

  set draft(text: string) {
    this.field.value = text;
    this.grow();
  }

  focus(): void {
    this.field.focus();
  }

  attach(attachment: Attachment): void {
    if (!this.attachments.some((one) => one.label === attachment.label)) this.attachments.push(attachment);
    this.paintChips();
  }

  offer(query: string, items: Completion[]): void {
    if (query === this.asked) this.completions.show(items);
  }

  setRunning(running: boolean): void {
    this.running = running;
    this.stopButton.hidden = !running;
    this.field.placeholder = running ? "Steer the running answer; Alt+Enter sends when it is done" : "Ask Pi, @ for files, / for skills";
  }

  private press(event: KeyboardEvent): void {
    if (event.isComposing) return; // an input method is at work
    if (this.completions.press(event.key)) event.preventDefault();
    else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.send(!this.running ? "prompt" : event.altKey ? "followUp" : "steer");
    } else if (event.key === "Escape" && this.running) this.stop();
  }

  private typed(): void {
    this.grow();
    this.changed(this.draft);
    this.asked = completable(this.draft, this.field.selectionStart);
    if (this.asked) this.post({ type: "complete", query: this.asked });
    else this.completions.close();
  }

  private complete({ insert, attachment }: Completion): void {
    const cursor = this.field.selectionStart;
    this.field.setRangeText(insert, cursor - this.asked.length, cursor, "end");
    if (attachment) this.attach(attachment);
    this.asked = "";
    this.grow();
    this.changed(this.draft);
  }

  private send(mode: "prompt" | "steer" | "followUp"): void {
    const text = this.draft.trim();
    if (!text) return;
    const references = this.attachments.map(({ uri, range }) => ({ uri, ...(range && { range }) }));
    this.post({ type: "send", text, mode, images: this.images, references });
    [this.draft, this.attachments, this.images] = ["", [], []];
    this.changed("");
    this.completions.close();
    this.paintChips();
  }

  private stop(): void {
    this.post({ type: "abort" });
  }

  private take(data: DataTransfer | null, event: Event): void {
    const files = [...(data?.files ?? [])].filter((file) => file.type.startsWith("image/") && file.size <= IMAGE_BYTES);
    if (files.length === 0) return;
    event.preventDefault();
    for (const file of files) void this.addImage(file);
  }

  private async addImage(file: File): Promise<void> {
    const url = await new Promise<string>((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => { resolve(typeof reader.result === "string" ? reader.result : ""); };
      reader.onerror = () => { reject(new Error("the image cannot be read")); };
      reader.readAsDataURL(file);
    });
    this.images.push({ data: url.slice(url.indexOf(",") + 1), mimeType: file.type });
    this.paintChips();
  }

  private paintChips(): void {
    const chip = (label: string, symbol: string, remove: () => void): HTMLElement =>
      h("span.chip", {}, icon(symbol), " ", label, iconButton("close", `Remove ${label}`, () => { remove(); this.paintChips(); this.focus(); }));
    this.chips.replaceChildren(
      ...this.attachments.map((one) => chip(one.label, "file-code", () => { this.attachments = this.attachments.filter((other) => other !== one); })),
      ...this.images.map((one, index) => chip(`Image ${index + 1}`, "file-media", () => { this.images = this.images.filter((other) => other !== one); })),
    );
    this.chips.hidden = this.chips.childElementCount === 0;
  }

  private grow(): void {
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight}px`;
  }
}
