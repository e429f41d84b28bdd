/** Characters that would make a text read otherwise than it is, shown as what they are. */
import { h } from "./dom";

/** Overrides, embeddings and isolates of direction. Marks of direction stay: they move no other text. */
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/u;
const EACH = /([\u202a-\u202e\u2066-\u2069])/u;

/** Put a sign in place of each of them, in all texts of an element. */
export function reveal(element: HTMLElement): void {
  if (!CONTROLS.test(element.textContent)) return;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (CONTROLS.test((node as Text).data)) found.push(node as Text);
  }
  for (const node of found) node.replaceWith(...node.data.split(EACH).map((part) => (CONTROLS.test(part) ? sign(part) : part)));
}

function sign(control: string): HTMLElement {
  const name = `U+${control.codePointAt(0)?.toString(16).toUpperCase() ?? ""}`;
  // The style sheet shows the name, so that it is not copied as part of the text.
  return h("span.control", { "data-name": name, role: "img", "aria-label": name, title: `${name}, a control of direction` });
}
