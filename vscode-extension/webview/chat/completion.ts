/** The list of completions over the text field, worked by keys. */
import type { Completion } from "../../src/chat/messages";
import { h } from "../base/dom";

export class CompletionList {
  readonly element = h("ul.completions", { role: "listbox", id: "completions", hidden: true, "aria-label": "Completions" });
  private items: Completion[] = [];
  private active = 0;

  constructor(
    private readonly field: HTMLTextAreaElement,
    private readonly choose: (item: Completion) => void,
  ) {}

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  show(items: Completion[]): void {
    this.items = items;
    this.active = 0;
    this.element.hidden = items.length === 0;
    this.paint();
  }

  close(): void {
    this.show([]);
  }

  /** Take a key; whether it was for the list. */
  press(key: string): boolean {
    if (!this.isOpen) return false;
    const item = this.items[this.active];
    switch (key) {
      case "ArrowDown":
      case "ArrowUp":
        this.active = (this.active + (key === "ArrowDown" ? 1 : this.items.length - 1)) % this.items.length;
        this.paint();
        return true;
      case "Enter":
      case "Tab":
        if (item) this.choose(item);
        this.close();
        return true;
      case "Escape":
        this.close();
        return true;
      default:
        return false;
    }
  }

  private paint(): void {
    const rows = this.items.map((item, index) =>
      h(
        "li",
        {
          role: "option",
          id: `completion-${index}`,
          "aria-selected": index === this.active ? "true" : "false",
          onmousedown: (event: MouseEvent) => {
            event.preventDefault(); // the field keeps the focus
            this.choose(item);
            this.close();
          },
        },
        h("span.label", {}, item.label),
        h("span.detail", {}, item.detail),
      ),
    );
    this.element.replaceChildren(...rows);
    rows[this.active]?.scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-expanded", String(this.isOpen));
    if (this.isOpen) this.field.setAttribute("aria-activedescendant", `completion-${this.active}`);
    else this.field.removeAttribute("aria-activedescendant");
  }
}

/** The word before the cursor that may be completed: `/…` at the start of the text, `@…` anywhere. */
export function completable(text: string, cursor: number): string {
  const before = text.slice(0, cursor);
  return /^\/\S*$/u.exec(before)?.[0] ?? /(?:^|\s)(@\S*)$/u.exec(before)?.[1] ?? "";
}
