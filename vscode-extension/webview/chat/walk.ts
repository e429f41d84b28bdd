/** The conversation by keys: arrows go from message to message, and only the one that has the focus offers its buttons. */

const ITEM = ".item";
const BUTTONS = ".toolbar button";

/** Work the keys of a list of items; `leave` goes back to where the person writes. */
export function walk(list: HTMLElement, leave: () => void): void {
  list.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") leave();
    else if (!step(list, event)) return;
    event.preventDefault();
  });
  list.addEventListener("focusin", (event) => { offer(list, itemOf(event.target)); });
  list.addEventListener("focusout", () => { offer(list, undefined); });
}

/** What is about to take the place of an item takes its focus, too. */
export function keepFocus(before: HTMLElement, after: HTMLElement): void {
  if (before.contains(document.activeElement)) requestAnimationFrame(() => { after.focus({ preventScroll: true }); });
}

/** Whether the key went to another item. */
function step(list: HTMLElement, { key, target }: KeyboardEvent): boolean {
  const items = [...list.querySelectorAll<HTMLElement>(ITEM)];
  const here = itemOf(target);
  if (target !== list && target !== here) return false; // inside of one, the keys are its own
  const at = here ? items.indexOf(here) : items.length;
  const places: Record<string, number> = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: items.length - 1 };
  const next = items[places[key] ?? -1];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return next !== undefined;
}

function offer(list: HTMLElement, item: HTMLElement | undefined): void {
  for (const button of list.querySelectorAll<HTMLElement>(BUTTONS)) button.tabIndex = item?.contains(button) ? 0 : -1;
}

const itemOf = (target: EventTarget | null): HTMLElement | undefined =>
  target instanceof Element ? (target.closest<HTMLElement>(ITEM) ?? undefined) : undefined;
