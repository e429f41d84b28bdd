/** Entries in words and icons. */
import type { TreeNode } from "../protocol/generated";
import { oneLine } from "../base/inert";
import { shorten } from "../base/text";

interface Kind {
  name: string;
  icon: string;
}

const KINDS: Record<string, Kind> = {
  user: { name: "You", icon: "account" },
  assistant: { name: "Assistant", icon: "sparkle" },
  toolResult: { name: "Tool result", icon: "tools" },
  bashExecution: { name: "Command", icon: "terminal" },
  system: { name: "System prompt", icon: "gear" },
  custom: { name: "Added text", icon: "note" },
  compaction: { name: "Compaction", icon: "fold" },
  branch_summary: { name: "Branch summary", icon: "git-merge" },
  custom_message: { name: "Added text", icon: "note" },
  label: { name: "Label", icon: "tag" },
  context_edit: { name: "Edit of the context", icon: "edit" },
  model_change: { name: "Model", icon: "server-process" },
  thinking_level_change: { name: "Thinking", icon: "lightbulb-sparkle" },
  session_info: { name: "Name", icon: "pencil" },
};

/** What an entry is; one that we do not know keeps its own name. */
export function kindOf(node: Pick<TreeNode, "type" | "role">): Kind {
  const key = node.type === "message" ? (node.role ?? "") : node.type;
  return KINDS[key] ?? { name: key || "Entry", icon: "circle-small" };
}

const NAME = 32;

/** What a page that shows a stored entry is called: who or what it is, and how it begins. */
export function pageName(entry: Record<string, Json>): string {
  const role = asObject(entry.message)?.role;
  const { name } = kindOf({ type: String(entry.type), role: typeof role === "string" ? role : null });
  const text = oneLine(withoutLead(entry)).replace(/[#*`>/\\]+/gu, " ").replace(/\s+/gu, " ").trim();
  return shorten(text.startsWith("{") ? name : `${name}: ${text}`, NAME);
}

/** Of a summary what follows its first heading: what stands before is the same in all. */
function withoutLead(entry: Record<string, Json>): string {
  const text = textOfEntry(entry);
  return typeof entry.summary === "string" ? text.replace(/^[^]*?^#.*\n/mu, "") : text;
}

type Json = unknown;

/** The texts of a stored entry, for reading: those of its message or summary, tool calls as JSON. */
export function textOfEntry(entry: Record<string, Json>): string {
  const message = asObject(entry.message) ?? entry;
  for (const field of ["content", "summary", "output"]) {
    const text = textOf(message[field]);
    if (text) return text;
  }
  return JSON.stringify(entry, null, 2);
}

function textOf(content: Json): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map(textOfBlock).filter(Boolean).join("\n\n");
}

function textOfBlock(value: Json): string {
  const block = asObject(value) ?? {};
  if (typeof block.text === "string") return block.text;
  if (typeof block.thinking === "string") return block.thinking;
  if (block.type === "toolCall") return `${String(block.name)} ${JSON.stringify(block.arguments ?? {}, null, 2)}`;
  return block.type === "image" ? "[image]" : "";
}

function asObject(value: Json): Record<string, Json> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, Json>) : undefined;
}
