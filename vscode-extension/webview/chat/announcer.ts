/** Says to screen readers what comes, in pieces that are whole: a paragraph, a tool, the end. Nobody sees it. */
import type { PiEvent } from "../../src/protocol/methods";
import { head } from "../../src/base/text";
import { h } from "../base/dom";
import { asObject, blocksOf, str } from "./json";

/** So many pieces stay; what was said long ago is read in the conversation. */
const KEPT = 20;
/** So many characters of a piece are said. */
const LONGEST = 1000;
const ENDS: Record<string, string> = { done: "The answer is complete.", cancelled: "The answer was stopped.", error: "There is no answer." };

export class Announcer {
  readonly element = h("div.hidden-text", { "aria-live": "polite", "aria-relevant": "additions" });
  /** The paragraph that is being written, of which block. */
  private text = "";
  private block = -1;

  happened(event: PiEvent): void {
    switch (event.type) {
      case "agent_start":
        this.say("Pi is answering.");
        return;
      case "message_delta":
        if (event.kind === "text") this.grow(event.block, event.delta);
        return;
      case "message_end": {
        this.flush();
        const message = asObject(event.message) ?? {};
        for (const block of blocksOf(message)) if (block.type === "toolCall") this.say(`It calls ${str(block.name)}.`);
        if (message.stopReason === "error") this.say(str(message.errorMessage));
        return;
      }
      case "agent_end":
        this.flush();
        this.say(ENDS[event.stopReason] ?? "The answer has ended.");
        return;
      default:
    }
  }

  private grow(block: number, delta: string): void {
    if (block !== this.block) this.flush();
    this.block = block;
    this.text += delta;
    const end = this.text.lastIndexOf("\n\n");
    if (end < 0) return;
    this.say(this.text.slice(0, end));
    this.text = this.text.slice(end + 2);
  }

  private flush(): void {
    this.say(this.text);
    this.text = "";
  }

  private say(piece: string): void {
    const words = piece.replace(/^(?:```.*|#+ |[*+>-] )|[*`_]{1,3}/gmu, "").trim();
    if (!words) return;
    this.element.append(h("p", { dir: "auto" }, words.length > LONGEST ? `${head(words, LONGEST)}…` : words));
    while (this.element.childElementCount > KEPT) this.element.firstElementChild?.remove();
  }
}
