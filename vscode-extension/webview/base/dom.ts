/** Elements without a framework. Text goes in as text, never as markup. */

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | boolean | undefined | ((event: never) => void)>;

/** `h("button.primary", { onclick, "aria-label": "Send" }, "Send")`. */
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
  const [name = "div", ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(key, "");
    else if (typeof value === "string") element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A picture of VS Code's own; it says nothing to screen readers. */
export const icon = (name: string, more = ""): HTMLElement =>
  h(`span.codicon.codicon-${name}${more && `.${more}`}`, { "aria-hidden": "true" });

export function iconButton(name: string, label: string, press: () => void, more: Attributes = {}): HTMLElement {
  return h("button.icon", { type: "button", title: label, "aria-label": label, onclick: press, ...more }, icon(name));
}
