/** What was said, as the page shows it: made from stored entries and kept up by events. No element of the page here. */
import type { PiEvent } from "../../src/protocol/methods";
import type { StoredEntry } from "../../src/chat/messages";
import { asObject, blocksOf, str, textOf, type Json, type JsonObject } from "./json";

export interface ToolCall {
  kind: "tool";
  id: string;
  name: string;
  arguments: JsonObject;
  result?: { text: string; isError: boolean; details: JsonObject; spillFile?: string };
  output: string;
}

export type Block = { kind: "text"; text: string } | { kind: "thinking"; text: string } | ToolCall | { kind: "image"; mimeType: string; data: string };

export interface Item {
  /** The entry's id, or one of our own while nothing is stored. */
  id: string;
  kind: "user" | "assistant" | "compaction" | "branch" | "shell" | "note";
  blocks: Block[];
  /** Words beside it: a model's name, what it cost, why it failed. */
  about: string;
  error: string;
  /** How it ended, where that is no failure. */
  ending: string;
  live: boolean;
  /** Grows with every change, so that the page knows what to paint again. */
  version: number;
}

const LIVE = "live";

export class Transcript {
  items: Item[] = [];
  private tools = new Map<string, { item: Item; call: ToolCall }>();
  private ids = new Set<string>();
  private blocks = new Map<number, { kind: string; json: string; block: Block }>();

  reset(entries: StoredEntry[], running?: JsonObject | null): void {
    this.items = [];
    this.tools = new Map();
    this.ids = new Set();
    this.blocks = new Map();
    for (const entry of entries) this.add(entry);
    if (running) this.begin(running);
  }

  /** Add a stored entry; one that is known, or shows nothing, changes nothing. */
  add(entry: StoredEntry): void {
    const id = str(entry.id);
    if (this.ids.has(id)) return;
    this.ids.add(id);
    const message = asObject(entry.message);
    if (entry.type === "context_edit") this.takeOut(entry);
    else if (entry.type === "message" && message?.role === "toolResult") this.finish(message);
    else {
      const item = itemOf(id, entry, message);
      if (!item) return;
      if (item.kind === "assistant") this.endLive();
      this.push(item);
    }
  }

  happened(event: PiEvent): void {
    switch (event.type) {
      case "message_start":
        if (event.role === "assistant") this.begin({ role: "assistant", content: [] });
        return;
      case "message_delta":
        this.grow(event.block, event.kind, event.delta);
        return;
      case "message_end":
        if (asObject(event.message)?.role === "assistant") {
          this.endLive();
          if (event.entryId) this.add({ type: "message", id: event.entryId, message: event.message });
        }
        return;
      case "tool_update":
        this.update(event.toolCallId, (call) => { call.output += event.delta; });
        return;
      case "tool_end":
        this.update(event.toolCallId, (call) => {
          call.result ??= { text: event.preview, isError: event.isError, details: {} };
          if (event.spillFile) call.result.spillFile = event.spillFile;
        });
        return;
      case "agent_end":
        this.endLive();
        return;
      default:
    }
  }

  private begin(message: JsonObject): void {
    this.endLive();
    const item = itemOf(LIVE, { type: "message" }, message);
    if (!item) return;
    item.live = true;
    this.blocks = new Map(item.blocks.map((block, index) => [index, { kind: block.kind, json: "", block }]));
    this.push(item);
  }

  private endLive(): void {
    this.items = this.items.filter((item) => !item.live);
    this.blocks = new Map();
  }

  private grow(index: number, kind: "text" | "thinking" | "toolArguments", delta: string): void {
    const item = this.items.find((one) => one.live);
    if (!item) return;
    let growing = this.blocks.get(index);
    if (!growing) {
      const block: Block = kind === "toolArguments" ? { kind: "tool", id: "", name: "", arguments: {}, output: "" } : { kind, text: "" };
      growing = { kind, json: "", block };
      this.blocks.set(index, growing);
      item.blocks.push(block);
    }
    if ("text" in growing.block) growing.block.text += delta;
    else if (growing.block.kind === "tool") growing.block.output += delta;
    item.version += 1;
  }

  private push(item: Item): void {
    this.items.push(item);
    for (const block of item.blocks) if (block.kind === "tool" && block.id) this.tools.set(block.id, { item, call: block });
  }

  private finish(message: JsonObject): void {
    this.update(str(message.toolCallId), (call) => {
      const details = asObject(message.details) ?? {};
      const spillFile = str(details.fullOutputPath);
      call.result = { text: textOf(message), isError: message.isError === true, details, ...(spillFile && { spillFile }) };
    });
  }

  /** A failed attempt that was made again is taken out of the context, and so it is here. */
  private takeOut({ targetId, replacement }: StoredEntry): void {
    if (replacement === null) this.items = this.items.filter((item) => item.id !== targetId || !item.error);
  }

  private update(id: string, change: (call: ToolCall) => void): void {
    const known = this.tools.get(id);
    if (!known) return;
    change(known.call);
    known.item.version += 1;
  }
}

function itemOf(id: string, entry: JsonObject, message: JsonObject | undefined): Item | undefined {
  const item = (kind: Item["kind"], blocks: Block[], about = ""): Item => ({ id, kind, blocks, about, error: "", ending: "", live: false, version: 0 });
  const text = (value: Json): Block[] => [{ kind: "text", text: str(value) }];
  switch (entry.type) {
    case "compaction":
      return item("compaction", text(entry.summary), typeof entry.tokensBefore === "number" ? String(entry.tokensBefore) : "");
    case "branch_summary":
      return item("branch", text(entry.summary));
    case "custom_message":
      return entry.display === false ? undefined : item("note", blocksOf(entry).map(toBlock), str(entry.customType));
    case "message":
      break;
    default:
      return undefined;
  }
  switch (message?.role) {
    case "user":
      return item("user", blocksOf(message).map(toBlock));
    case "assistant":
      return { ...item("assistant", blocksOf(message).map(toBlock), str(message.model)), ...endOf(message) };
    case "bashExecution":
      return item("shell", [shellBlock(id, message)]);
    case "custom":
      return message.display === false ? undefined : item("note", blocksOf(message).map(toBlock), str(message.customType));
    default:
      return undefined;
  }
}

function endOf({ stopReason, errorMessage }: JsonObject): Pick<Item, "error" | "ending"> {
  const error = stopReason === "error" ? str(errorMessage) || "The request failed." : "";
  const ending = stopReason === "aborted" ? "Stopped." : stopReason === "length" ? "The answer was cut at the model's limit." : "";
  return { error, ending };
}

function toBlock(block: JsonObject): Block {
  switch (block.type) {
    case "thinking":
      return { kind: "thinking", text: str(block.thinking) };
    case "toolCall":
      return { kind: "tool", id: str(block.id), name: str(block.name), arguments: asObject(block.arguments) ?? {}, output: "" };
    case "image":
      return { kind: "image", mimeType: str(block.mimeType), data: str(block.data) };
    default:
      return { kind: "text", text: str(block.text) };
  }
}

/** A command of the person's own is drawn like one of the agent's. */
function shellBlock(id: string, message: JsonObject): ToolCall {
  const { command, output, exitCode } = message;
  const details = typeof exitCode === "number" ? { exitCode } : {};
  const failed = message.cancelled === true || (typeof exitCode === "number" && exitCode !== 0);
  const spillFile = str(message.fullOutputPath);
  const result = { text: str(output), isError: failed, details, ...(spillFile && { spillFile }) };
  return { kind: "tool", id, name: "bash", arguments: { command: str(command) }, result, output: "" };
}
