/** Markdown from a model or a stranger's file, as HTML that can do nothing. */
import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";
import { h, icon } from "./dom";
import { highlight } from "./highlight";

const SAFE_LINK = /^(?:https?|mailto):/iu;
const markdown = new MarkdownIt({ html: false, linkify: false, highlight });
markdown.disable("image"); // nothing is fetched; an image stays as a link to look at
markdown.validateLink = (url) => SAFE_LINK.test(url);

/** More is shown as plain text, cut: a page of it must not stop the editor. */
export const LONGEST = 100_000;

const SAFE = {
  ALLOWED_TAGS: [
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s",
    "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
  ],
  ALLOWED_ATTR: ["href", "class", "start", "align"],
  ALLOWED_URI_REGEXP: SAFE_LINK,
  RETURN_DOM_FRAGMENT: true as const,
};

/** Show the text in the element, in place of what it held. */
export function showMarkdown(element: HTMLElement, text: string, onCopy: (code: string) => void): void {
  if (text.length > LONGEST) {
    element.replaceChildren(h("pre.plain", {}, text.slice(0, LONGEST), "\n…"));
    return;
  }
  const content = DOMPurify.sanitize(markdown.render(text), SAFE);
  for (const link of content.querySelectorAll("a")) {
    if (!link.hasAttribute("href")) link.replaceWith(...link.childNodes);
    else link.title = link.getAttribute("href") ?? "";
  }
  for (const block of content.querySelectorAll("pre")) {
    const copy = () => { onCopy(block.querySelector("code")?.textContent ?? ""); };
    block.append(h("button.icon.copy", { type: "button", title: "Copy", "aria-label": "Copy code", onclick: copy }, icon("copy")));
    block.tabIndex = 0; // so that long lines can be scrolled by keys
  }
  for (const part of content.children) part.setAttribute("dir", part.tagName === "PRE" ? "ltr" : "auto");
  element.replaceChildren(content);
}
