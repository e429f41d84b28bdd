/** Markdown from a model or a stranger's file, as HTML that can do nothing. */
import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";
import { head } from "../../src/base/text";
import { placeOf } from "../../src/chat/links";
import { h, icon } from "./dom";
import { highlight } from "./highlight";

/** Links that the browser follows; those to files are handed to the extension, and no other is a link. */
const WEB = /^(?:https?|mailto):/iu;
const markdown = new MarkdownIt({ html: false, linkify: false, highlight });
markdown.disable("image"); // nothing is fetched; an image stays as a link to look at
markdown.validateLink = (url) => WEB.test(url) || url.startsWith("#") || placeOf(url) !== undefined;

/** More is shown as plain text, cut: a page of it must not stop the editor. */
export const LONGEST = 100_000;

const SAFE = {
  ALLOWED_TAGS: [
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s",
    "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
  ],
  ALLOWED_ATTR: ["href", "class", "start", "align"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|file:\/\/\/|[a-z]:[\\/]|(?![a-z][a-z0-9+.-]*:))/iu,
  RETURN_DOM_FRAGMENT: true as const,
};

export interface MarkdownActions {
  copy: (code: string) => void;
  openLink: (link: string) => void;
}

/** Show the text in the element, in place of what it held. */
export function showMarkdown(element: HTMLElement, text: string, { copy, openLink }: MarkdownActions): void {
  if (text.length > LONGEST) {
    element.replaceChildren(h("pre.plain", {}, head(text, LONGEST), `\n… ${text.length - LONGEST} more characters`));
    return;
  }
  const content = DOMPurify.sanitize(markdown.render(text), SAFE);
  for (const link of content.querySelectorAll("a")) tame(link, openLink);
  for (const block of content.querySelectorAll("pre")) {
    const copyCode = () => { copy(block.querySelector("code")?.textContent ?? ""); };
    block.append(h("button.icon.copy", { type: "button", title: "Copy", "aria-label": "Copy code", onclick: copyCode }, icon("copy")));
    block.tabIndex = 0; // so that long lines can be scrolled by keys
  }
  for (const part of content.children) part.setAttribute("dir", part.tagName === "PRE" ? "ltr" : "auto");
  element.replaceChildren(content);
}

function tame(link: HTMLAnchorElement, openLink: (link: string) => void): void {
  const href = link.getAttribute("href") ?? "";
  if (WEB.test(href)) link.title = href;
  else if (placeOf(href)) link.replaceWith(h("button.link.file", { type: "button", title: href, onclick: () => { openLink(href); } }, ...link.childNodes));
  else link.replaceWith(...link.childNodes);
}
