/** Items of the transcript as elements. */
import { short } from "../../src/base/text";
import { h, icon, iconButton } from "../base/dom";
import { type MarkdownActions, showMarkdown } from "../base/markdown";
import { type PutIn, readable } from "./markup";
import { type RemedyActions, remedyButtons } from "./remedies";
import { cut, toolCard, type ToolActions } from "./tools";
import { reveal } from "../base/reveal";
import type { Block, Item } from "./transcript";

export interface Actions extends ToolActions, MarkdownActions, RemedyActions {
  resend: (entryId: string) => void;
  openEntry: (entryId: string) => void;
}

const NAMES: Record<Item["kind"], string> = {
  user: "You",
  assistant: "Assistant",
  compaction: "Compacted here",
  branch: "Summary of another branch",
  shell: "Your command",
  note: "Added text",
};

/** Added texts of our own; those of others keep the name that they have. */
const NOTES: Record<string, string> = {
  "pi-lsp.rules": "Rules added to the session",
  "pi-lsp.restored": "Brought back",
  "pi-lsp.hook": "Added by a hook",
};

export function paint(item: Item, actions: Actions): HTMLElement {
  const element = draw(item, actions);
  reveal(element);
  return element;
}

function draw(item: Item, actions: Actions): HTMLElement {
  const element = h(`article.item.${item.kind}${item.live ? ".live" : ""}`, { "aria-label": NAMES[item.kind], "data-id": item.id, tabindex: "-1" });
  if (item.kind === "compaction" || item.kind === "branch") {
    element.append(fold(item, actions));
    return element;
  }
  if (item.kind === "note") element.append(h("div.caption", {}, icon("note"), " ", NOTES[item.about] ?? (item.about || NAMES.note)));
  element.append(...item.blocks.map((block) => paintBlock(block, item, actions)));
  if (item.live && item.blocks.length === 0) element.append(h("div.waiting", { role: "status" }, icon("loading", "codicon-modifier-spin"), " Thinking…"));
  if (item.error) element.append(h("div.problem", {}, icon("warning"), " ", item.error, remedyButtons(item.error, actions)));
  if (item.ending) element.append(h("div.ending", {}, icon("circle-slash"), " ", item.ending));
  if (!item.live) element.append(toolbar(item, actions));
  return element;
}

function paintBlock(block: Block, item: Item, actions: Actions): HTMLElement {
  switch (block.kind) {
    case "text": {
      const text = h("div.text", { dir: "auto" });
      if (item.kind === "user") text.append(cut(block.text));
      else showMarkdown(text, block.text, actions);
      return text;
    }
    case "thinking": {
      const text = h("div.text", { dir: "auto" });
      showMarkdown(text, block.text, actions);
      const open = item.live && item.blocks.at(-1) === block;
      return h("details.thinking", open ? { open: true } : {}, h("summary", {}, icon("lightbulb"), " Thinking"), text);
    }
    case "putIn":
      return putIn(block, actions);
    case "tool":
      return toolCard(block, actions);
    case "image":
      return picture(block.mimeType, block.data);
  }
}

const ICONS: Record<PutIn["what"], string> = { file: "file-code", skill: "mortar-board", rules: "book" };

function putIn({ what, name, path, text }: PutIn, actions: Actions): HTMLElement {
  const open = h("button.link", { type: "button", onclick: () => { actions.openFile(path); } }, icon("go-to-file"), " ", path);
  const shown = h("pre.asked", { dir: "auto", tabindex: "0", "aria-label": name }, cut(text));
  return h("details.put-in", {}, h("summary", {}, icon(ICONS[what]), " ", name), open, shown);
}

function picture(mimeType: string, data: string): HTMLElement {
  const known = /^image\/(?:png|jpeg|gif|webp)$/u.test(mimeType) && /^[A-Za-z0-9+/=]+$/u.test(data);
  if (!known) return h("div.caption", {}, icon("file-media"), " An image that cannot be shown");
  const button = h("button.picture", { type: "button", title: "Show it large", "aria-expanded": "false" }, h("img", { src: `data:${mimeType};base64,${data}`, alt: "Image sent along" }));
  button.addEventListener("click", () => { button.ariaExpanded = String(button.ariaExpanded !== "true"); });
  return button;
}

function fold(item: Item, actions: Actions): HTMLElement {
  const text = h("div.text", { dir: "auto" });
  const [block] = item.blocks;
  showMarkdown(text, block?.kind === "text" ? readable(block.text) : "", actions);
  const tokens = item.about && ` · ${short(Number(item.about))} tokens before`;
  return h("details.fold", {}, h("summary", {}, icon(item.kind === "branch" ? "git-merge" : "fold"), ` ${NAMES[item.kind]}${tokens}`), text);
}

function toolbar(item: Item, actions: Actions): HTMLElement {
  const text = item.blocks.map((block) => ("text" in block && block.kind === "text" ? block.text : "")).filter(Boolean).join("\n\n");
  const button = (name: string, label: string, press: () => void): HTMLElement => iconButton(name, label, press, { tabindex: "-1" }); // see walk.ts
  return h(
    "div.toolbar",
    { role: "toolbar", "aria-label": `Actions for ${NAMES[item.kind]}` },
    text && button("copy", "Copy", () => { actions.copy(text); }),
    item.kind === "user" && button("edit", "Edit and send again, on a new branch", () => { actions.resend(item.id); }),
    button("go-to-file", "Show the stored entry", () => { actions.openEntry(item.id); }),
  );
}
