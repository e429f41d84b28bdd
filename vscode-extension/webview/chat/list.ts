/** The list of items on the page: only the newest are elements until the person asks for earlier ones. */
import { h } from "../base/dom";
import { type Actions, paint } from "./items";
import type { Item, Transcript } from "./transcript";

const CHUNK = 60;
const NEAR_PX = 80;
/** Painting may take this share of the time at most, however long an answer is. */
const BUSY_SHARE = 4;

export class List {
  readonly element = h("main.list", { role: "log", "aria-label": "Conversation", "aria-live": "off", tabindex: "0" });
  private readonly earlier = h("button.earlier", { type: "button", onclick: () => { this.showEarlier(); } });
  private readonly empty = h("div.empty", {}, h("p", {}, "Ask Pi about this folder. It reads the rules that apply here, and you see what it sees."));
  private readonly painted = new Map<string, { element: HTMLElement; version: number; live: boolean }>();
  private shown = CHUNK;
  private frame = 0;
  private notBefore = 0;

  constructor(
    private readonly transcript: Transcript,
    private readonly actions: Actions,
  ) {}

  /** Forget what is painted: it is another conversation now. */
  clear(): void {
    this.shown = CHUNK;
    this.painted.clear();
    this.element.replaceChildren();
    this.update(true);
  }

  /** Paint what changed, at the next frame; bursts are painted once. */
  update(toEnd = false): void {
    if (toEnd) this.notBefore = 0;
    if (this.frame) return;
    const wait = this.notBefore - performance.now();
    const paintNow = (): void => {
      this.frame = 0;
      this.paint(toEnd);
    };
    this.frame = wait > 0 ? window.setTimeout(paintNow, wait) : requestAnimationFrame(paintNow);
  }

  private paint(toEnd: boolean): void {
    const started = performance.now();
    const follow = toEnd || this.isAtEnd();
    const { items } = this.transcript;
    const visible = items.slice(-this.shown);
    const elements = visible.map((item) => this.elementOf(item));
    const hidden = items.length - visible.length;
    this.earlier.textContent = `Show earlier messages (${hidden})`;
    const wanted = [...(hidden ? [this.earlier] : []), ...elements, ...(items.length ? [] : [this.empty])];
    replaceChanged(this.element, wanted);
    if (follow) this.element.scrollTop = this.element.scrollHeight;
    if (toEnd) requestAnimationFrame(() => { this.element.scrollTop = this.element.scrollHeight; }); // fonts have come
    this.notBefore = performance.now() + BUSY_SHARE * (performance.now() - started);
  }

  private elementOf(item: Item): HTMLElement {
    const known = this.painted.get(item.id);
    if (known?.version === item.version && known.live === item.live) return known.element;
    const element = paint(item, this.actions);
    if (known) keepOpen(known.element, element);
    this.painted.set(item.id, { element, version: item.version, live: item.live });
    return element;
  }

  private showEarlier(): void {
    const before = this.element.scrollHeight - this.element.scrollTop;
    this.shown += 2 * CHUNK;
    this.paint(false);
    this.element.scrollTop = this.element.scrollHeight - before; // what was looked at stays where it is
  }

  private isAtEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    return scrollHeight - scrollTop - clientHeight < NEAR_PX;
  }
}

/** Make these the children, touching only those that differ. */
function replaceChanged(parent: HTMLElement, wanted: HTMLElement[]): void {
  wanted.forEach((element, index) => {
    const current = parent.children[index];
    if (current === element) return;
    if (current && !wanted.includes(current as HTMLElement)) current.replaceWith(element);
    else parent.insertBefore(element, current ?? null);
  });
  while (parent.children.length > wanted.length) parent.lastElementChild?.remove();
}

/** What the person opened or closed stays so when an item is painted again. */
function keepOpen(before: HTMLElement, after: HTMLElement): void {
  const old = before.querySelectorAll("details");
  after.querySelectorAll("details").forEach((details, index) => {
    const known = old[index];
    if (known?.className === details.className) details.open = known.open;
  });
}
