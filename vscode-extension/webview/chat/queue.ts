/** The messages that wait, to be changed or taken back until they are said. */
import type { Queue } from "../../src/protocol/generated";
import { h, iconButton } from "../base/dom";

type Kind = keyof Queue;
const KINDS: Record<Kind, string> = { steer: "Steering", followUp: "After this" };

interface Row {
  kind: Kind;
  text: string;
  element: HTMLElement;
}

export class QueueList {
  readonly element = h("ul.queue", { "aria-label": "Messages that wait", hidden: true });
  private rows: Row[] = [];

  constructor(private readonly change: (queue: Queue) => void) {}

  /** A row that stays is the same element: the person may be writing in it. */
  show(queue: Queue): void {
    const gone = new Set(this.rows);
    const take = (kind: Kind, text: string): Row | undefined => {
      const known = [...gone].find((row) => row.kind === kind && row.text === text);
      if (known) gone.delete(known);
      return known;
    };
    this.rows = (["steer", "followUp"] as const).flatMap((kind) => queue[kind].map((text) => take(kind, text) ?? this.row(kind, text)));
    for (const { element } of gone) element.remove();
    this.rows.forEach(({ element }, index) => {
      const there = this.element.children[index];
      if (there !== element) this.element.insertBefore(element, there ?? null);
    });
    this.element.hidden = this.rows.length === 0;
  }

  private row(kind: Kind, text: string): Row {
    const field = h("input", { dir: "auto", "aria-label": `${KINDS[kind]}: a message that waits` }) as HTMLInputElement;
    field.value = text;
    const close = iconButton("close", "Do not send", () => { this.set(row, ""); });
    const row = { kind, text, element: h("li", {}, h("span.caption", {}, KINDS[kind]), field, close) };
    field.addEventListener("change", () => { this.set(row, field.value.trim()); });
    return row;
  }

  private set(changed: Row, text: string): void {
    const textsOf = (kind: Kind): string[] => this.rows.filter((row) => row.kind === kind).map((row) => (row === changed ? text : row.text)).filter(Boolean);
    this.change({ steer: textsOf("steer"), followUp: textsOf("followUp") });
  }
}
