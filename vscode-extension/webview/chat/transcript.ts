/** What was said, as the page shows it: made from stored entries and kept up by events. No element of the page here. */
import type { PiEvent } from "../../src/protocol/methods";
import type { StoredEntry } from "../../src/chat/messages";
import { type PutIn, pieces } from "./markup";
import { asObject, blocksOf, str, textOf, type Json, type JsonObject } from "./json";

export interface ToolCall {
  kind: "tool";
  id: string;
  name: string;
  arguments: JsonObject;
  result?: { text: string; isError: boolean; details: JsonObject; spillFile?: string };
  output: string;
  /** Whether we hear of it; of the calls of another program there is only what it stores. */
  running?: boolean;
}

export type Block = { kind: "text"; text: string } | { kind: "thinking"; text: string } | ToolCall | PutIn | { kind: "image"; mimeType: string; data: string };

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

export class Transcript {
  items: Item[] = [];
  private tools = new Map<string, { item: Item; call: ToolCall }>();
  /** Results whose calls stand in earlier entries, which may still come; and what was taken out of the context. */
  private results = new Map<string, JsonObject>();
  private removed = new Set<string>();
  private ids = new Set<string>();
  /** The running answer, and its blocks by their index in it. */
  private live: Item | undefined;
  private begun = 0;
  private blocks = new Map<number, Block>();

  reset(entries: StoredEntry[], running?: JsonObject | null): void {
    this.items = [];
    this.tools = new Map();
    this.results = new Map();
    this.removed = new Set();
    this.ids = new Set();
    this.live = undefined;
    this.blocks = new Map();
    for (const entry of entries) this.add(entry);
    if (running) this.begin(running);
  }

  /** Add a stored entry; one that is known, or shows nothing, changes nothing. */
  add(entry: StoredEntry): void {
    const item = this.take(entry);
    if (item?.kind === "assistant") this.endLive();
    if (item) this.items.push(item);
  }

  /** Put stored entries before all that are there. */
  prepend(entries: StoredEntry[]): void {
    const before = entries.map((entry) => this.take(entry)).filter((item) => item !== undefined);
    this.items = [...before.filter((item) => !this.isRemoved(item)), ...this.items];
  }

  private take(entry: StoredEntry): Item | undefined {
    const id = str(entry.id);
    if (this.ids.has(id)) return undefined;
    this.ids.add(id);
    const message = asObject(entry.message);
    if (entry.type === "context_edit") this.takeOut(entry);
    else if (entry.type === "message" && message?.role === "toolResult") this.finish(message);
    else {
      const item = itemOf(id, entry, message);
      if (item && !this.isRemoved(item)) return this.withTools(item);
    }
    return undefined;
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
      case "tool_start":
        this.update(event.toolCallId, (call) => { call.running = true; });
        return;
      case "tool_update":
        this.update(event.toolCallId, (call) => { call.output += event.delta; });
        return;
      case "tool_end":
        this.update(event.toolCallId, (call) => {
          call.running = false;
          call.result ??= { text: event.preview, isError: event.isError, details: {} };
          if (event.spillFile) call.result.spillFile = event.spillFile;
        });
        return;
      case "agent_end":
        this.stop();
        return;
      default:
    }
  }

  /** Nothing more comes of what is running. */
  stop(): void {
    this.endLive();
    for (const [id, { call }] of this.tools) if (call.running) this.update(id, () => { call.running = false; });
  }

  private begin(message: JsonObject): void {
    this.endLive();
    const item = itemOf(`live ${++this.begun}`, { type: "message" }, message);
    if (!item) return;
    item.live = true;
    this.live = item;
    this.blocks = new Map(item.blocks.entries());
    this.items.push(this.withTools(item));
  }

  private endLive(): void {
    if (!this.live) return;
    this.items.splice(this.items.lastIndexOf(this.live), 1);
    this.live = undefined;
    this.blocks = new Map();
  }

  private grow(index: number, kind: "text" | "thinking" | "toolArguments", delta: string): void {
    const item = this.live;
    if (!item) return;
    const known = this.blocks.get(index);
    const block: Block = known ?? (kind === "toolArguments" ? { kind: "tool", id: "", name: "", arguments: {}, output: "" } : { kind, text: "" });
    if (!known) {
      this.blocks.set(index, block);
      item.blocks.push(block);
    }
    if ("text" in block) block.text += delta;
    else if (block.kind === "tool") block.output += delta;
    item.version += 1;
  }

  private withTools(item: Item): Item {
    for (const block of item.blocks) {
      if (block.kind !== "tool" || !block.id) continue;
      this.tools.set(block.id, { item, call: block });
      const result = this.results.get(block.id);
      if (result) this.finish(result);
    }
    return item;
  }

  private finish(message: JsonObject): void {
    const id = str(message.toolCallId);
    if (!this.tools.has(id)) this.results.set(id, message);
    this.update(id, (call) => {
      const details = asObject(message.details) ?? {};
      const spillFile = str(details.fullOutputPath);
      call.result = { text: textOf(message), isError: message.isError === true, details, ...(spillFile && { spillFile }) };
    });
  }

  /** A failed attempt that was made again is taken out of the context, and so it is here. */
  private takeOut({ targetId, replacement }: StoredEntry): void {
    if (replacement !== null) return;
    this.removed.add(str(targetId));
    this.items = this.items.filter((item) => !this.isRemoved(item));
  }

  private isRemoved(item: Item): boolean {
    return item.error !== "" && this.removed.has(item.id);
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
      return entry.display === false ? undefined : item("note", blocksOf(entry).flatMap(toPieces), str(entry.customType));
    case "message":
      break;
    default:
      return undefined;
  }
  switch (message?.role) {
    case "user":
      return item("user", blocksOf(message).flatMap(toPieces));
    case "assistant":
      return { ...item("assistant", blocksOf(message).map(toBlock), str(message.model)), ...endOf(message) };
    case "bashExecution":
      return item("shell", [shellBlock(id, message)]);
    case "custom":
      return message.display === false ? undefined : item("note", blocksOf(message).flatMap(toPieces), str(message.customType));
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

/** A block of what a person sends, in which the server has put files and skills. */
function toPieces(block: JsonObject): Block[] {
  const whole = toBlock(block);
  return whole.kind === "text" ? pieces(whole.text) : [whole];
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
