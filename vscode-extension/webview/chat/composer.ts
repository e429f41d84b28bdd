/** Where the person writes: the text, what goes along with it, and what it is sent as. */
import type { Attachment, Completion, Enclosed, FromPage, Mode } from "../../src/chat/messages";
import { h, icon } from "../base/dom";
import { completable, CompletionList } from "./completion";
import { Enclosures } from "./enclosed";

/** What is written and not sent yet. Images are too large to be kept over a reload. */
export interface Draft {
  text: string;
  attachments: Attachment[];
}

interface Doing {
  post: (message: FromPage) => void;
  changed: (draft: Draft) => void;
  refused: (why: string) => void;
}

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
  private readonly enclosed: Enclosures;
  private readonly completions = new CompletionList(this.field, (item) => { this.complete(item); });
  private readonly sendButton = h("button.send", { type: "submit", title: "Send (Enter)", "aria-label": "Send" }, icon("send"));
  private readonly stopButton = h("button.send.stop", { type: "button", title: "Stop (Escape)", "aria-label": "Stop", hidden: true, onclick: () => { this.stop(); } }, icon("debug-stop"));
  readonly element: HTMLElement;
  private running = false;
  private asked = "";
  /** So many stand beside the text. */
  private images = 0;

  constructor(
    private readonly doing: Doing,
    footer: HTMLElement,
  ) {
    this.enclosed = new Enclosures({
      changed: () => { this.tellChange(); },
      refused: doing.refused,
      dropped: (uris) => { doing.post({ type: "drop", uris }); },
    });
    const submit = (event: Event): void => {
      event.preventDefault();
      this.send("steer");
    };
    const take = (data: DataTransfer | null, event: Event): void => {
      if (this.enclosed.take(data)) event.preventDefault();
      this.focus();
    };
    footer.append(h("span.grow"), this.stopButton, this.sendButton);
    this.element = h("form.composer", { onsubmit: submit }, this.completions.element, this.enclosed.element, this.field, footer);
    this.field.addEventListener("keydown", (event) => { this.press(event); });
    this.field.addEventListener("input", () => { this.typed(); });
    this.field.addEventListener("blur", () => {
      this.asked = ""; // what comes late is not for a field that was left
      this.completions.close();
    });
    this.field.addEventListener("paste", (event) => {
      if (!event.clipboardData?.getData("text/plain")) take(event.clipboardData, event); // spreadsheets copy a picture too
    });
    this.element.addEventListener("dragover", (event) => { event.preventDefault(); });
    this.element.addEventListener("drop", (event) => { take(event.dataTransfer, event); });
  }

  /** Put this in front of what is written already. */
  put(text: string, enclosed: Enclosed = { attachments: [], images: [] }): void {
    this.field.value = [text, this.field.value].filter(Boolean).join("\n");
    this.enclosed.add(enclosed);
    this.grow();
    this.tellChange();
  }

  focus(): void {
    this.field.focus();
  }

  offer(query: string, items: Completion[]): void {
    if (query && query === this.asked) this.completions.show(items);
  }

  setRunning(running: boolean): void {
    this.running = running;
    this.stopButton.hidden = !running;
    this.sendButton.title = running ? "Steer the answer (Enter)" : "Send (Enter)";
    this.field.placeholder = running ? "Steer it, or Alt+Enter for later" : "Ask Pi (@ file, / skill)";
  }

  private press(event: KeyboardEvent): void {
    if (event.isComposing) return; // an input method is at work, and Enter is its own
    if (!(event.key === "Tab" && event.shiftKey) && this.completions.press(event.key)) event.preventDefault();
    else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.send(event.altKey ? "followUp" : "steer");
    } else if (event.key === "Escape" && this.running) this.stop();
  }

  private typed(): void {
    this.grow();
    this.tellChange();
    this.asked = completable(this.field.value, this.field.selectionStart);
    if (this.asked) this.doing.post({ type: "complete", query: this.asked });
    else this.completions.close();
  }

  private complete({ insert, attachment }: Completion): void {
    const cursor = this.field.selectionStart;
    this.field.setRangeText(insert, cursor - this.asked.length, cursor, "end");
    if (attachment) this.enclosed.add({ attachments: [attachment], images: [] });
    this.asked = "";
    this.grow();
    this.tellChange();
  }

  private send(mode: Mode): void {
    const text = this.field.value.trim();
    if (!text && this.enclosed.isEmpty) return;
    this.doing.post({ type: "send", text, mode, ...this.enclosed.all });
    this.field.value = "";
    this.enclosed.empty();
    this.completions.close();
    this.grow();
  }

  private stop(): void {
    this.doing.post({ type: "abort" });
  }

  private tellChange(): void {
    const { attachments, images } = this.enclosed.all;
    this.doing.changed({ text: this.field.value, attachments });
    if (images.length === this.images) return;
    this.images = images.length;
    this.doing.post({ type: "images", images });
  }

  private grow(): void {
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight}px`;
  }
}
