/** The list of items on the page: only the newest are elements until the person asks for earlier ones. */
import { h } from "../base/dom";
import { type Actions as ItemActions, paint } from "./items";
import type { Item, Transcript } from "./transcript";
import { keepFocus, walk } from "./walk";

/** Asks for what is not on the page yet. */
export interface Actions extends ItemActions {
  earlier: () => void;
  /** To where the person writes. */
  leave: () => void;
}

/** So many items are painted first, about a screen of them; the others of a chunk come in the frame after. */
const SCREEN = 20;
const CHUNK = 60;
const NEAR_PX = 80;
/** Painting may take this share of the time at most, however long an answer is. */
const BUSY_SHARE = 4;

export class List {
  readonly element = h("main.list", { role: "log", "aria-label": "Conversation", "aria-live": "off", tabindex: "0" });
  private readonly earlier = h("button.earlier", { type: "button", onclick: () => { this.showEarlier(); } });
  private readonly empty = h("div.empty", {}, h("p", {}, "Ask Pi. It reads the rules that apply here, and you see what it sees."));
  private readonly painted = new Map<string, { element: HTMLElement; version: number; live: boolean }>();
  private shown = SCREEN;
  /** Whether the session has entries before those that are here. */
  private more = false;
  private frame = 0;
  /** Whether the person looks at the end, and so at what comes. */
  private following = true;
  private lastTop = 0;
  private notBefore = 0;

  constructor(
    private readonly transcript: Transcript,
    private readonly actions: Actions,
  ) {
    this.element.addEventListener("scroll", () => { this.scrolled(); });
    walk(this.element, this.actions.leave);
    // What appears below takes its room from here, and pictures come later.
    new ResizeObserver(() => { this.followEnd(); }).observe(this.element);
    this.element.addEventListener("load", () => { this.followEnd(); }, true);
  }

  /** Show the end, wherever the person looks, and follow it. */
  toEnd(): void {
    this.following = true;
    this.followEnd();
  }

  /** Forget what is painted: it is another conversation now. */
  clear(more: boolean): void {
    this.more = more;
    this.shown = SCREEN;
    this.painted.clear();
    this.element.replaceChildren();
    this.following = true;
    this.notBefore = 0;
    this.update();
  }

  /** Paint what changed, at the next frame; bursts are painted once. */
  update(): void {
    if (this.frame) return;
    const wait = this.notBefore - performance.now();
    const paintNow = (): void => {
      this.frame = 0;
      this.paint();
    };
    this.frame = wait > 0 ? window.setTimeout(paintNow, wait) : requestAnimationFrame(paintNow);
  }

  private paint(): void {
    const started = performance.now();
    const { items } = this.transcript;
    const visible = items.slice(-this.shown);
    const elements = visible.map((item) => this.elementOf(item));
    if (this.painted.size > 2 * visible.length) this.forgetBut(visible);
    const hidden = items.length - visible.length;
    this.earlier.textContent = this.more ? "Show earlier messages" : `Show earlier messages (${hidden})`;
    const wanted = [...(hidden || this.more ? [this.earlier] : []), ...elements, ...(items.length ? [] : [this.empty])];
    replaceChanged(this.element, wanted);
    this.followEnd();
    requestAnimationFrame(() => { this.followEnd(); }); // fonts have come
    this.notBefore = performance.now() + BUSY_SHARE * (performance.now() - started);
    if (this.shown < CHUNK && hidden > 0) this.showChunk();
  }

  private elementOf(item: Item): HTMLElement {
    const known = this.painted.get(item.id);
    if (known?.version === item.version && known.live === item.live) return known.element;
    const element = paint(item, this.actions);
    if (known) {
      keepOpen(known.element, element);
      keepFocus(known.element, element);
    }
    this.painted.set(item.id, { element, version: item.version, live: item.live });
    return element;
  }

  private forgetBut(visible: Item[]): void {
    const ids = new Set(visible.map(({ id }) => id));
    for (const id of this.painted.keys()) if (!ids.has(id)) this.painted.delete(id);
  }

  private showChunk(): void {
    this.shown = CHUNK;
    requestAnimationFrame(() => { setTimeout(() => { this.inPlace(); }); }); // behind the frame that is being painted
  }

  /** Earlier items have come. */
  prepended(more: boolean): void {
    this.more = more;
    this.inPlace();
  }

  private showEarlier(): void {
    this.shown += 2 * CHUNK;
    if (this.more && this.shown > this.transcript.items.length) this.actions.earlier();
    this.inPlace();
  }

  /** Paint, while what is looked at stays where it is. */
  private inPlace(): void {
    const before = this.element.scrollHeight - this.element.scrollTop;
    this.paint();
    if (!this.following) this.element.scrollTop = this.element.scrollHeight - before;
  }

  /** Only a person goes up; what grows below moves nothing. */
  private scrolled(): void {
    const { scrollTop } = this.element;
    if (this.isAtEnd()) this.following = true;
    else if (scrollTop < this.lastTop) this.following = false;
    this.lastTop = scrollTop;
  }

  private followEnd(): void {
    if (this.following) this.element.scrollTop = this.element.scrollHeight;
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
