/** What happens beside the conversation: retries, compactions, queued messages, problems. */
import type { FromPage } from "../../src/chat/messages";
import type { Status } from "../../src/server/server";
import type { Queue } from "../../src/protocol/generated";
import type { PiEvent } from "../../src/protocol/methods";
import { sentence, short } from "../../src/base/text";
import { h, icon, iconButton } from "../base/dom";
import { QueueList } from "./queue";
import { type RemedyActions, remedyButtons } from "./remedies";

export class Notices {
  private readonly line = h("div.notice", { role: "status", hidden: true });
  private readonly problem = h("div.notice.problem", { role: "alert", hidden: true });
  private readonly server = h("div.notice", { role: "status", hidden: true });
  private readonly queued = new QueueList((queue) => { this.post({ type: "queue", queue }); });
  private readonly actions: RemedyActions = {
    command: (name) => {
      this.problem.hidden = true; // it is being seen to
      this.post({ type: "command", name });
    },
  };
  private readonly offered = h("div.notice", { role: "status", hidden: true });
  readonly element = h("div.notices", {}, this.server, this.problem, this.offered, this.line, this.queued.element);

  constructor(private readonly post: (message: FromPage) => void) {}

  /** Whatever was said is not about this conversation. */
  clear(): void {
    this.say("");
    for (const one of [this.server, this.problem, this.offered]) one.hidden = true;
  }

  happened(event: PiEvent): void {
    switch (event.type) {
      case "agent_start":
        this.say("");
        this.problem.hidden = true;
        return;
      case "agent_end":
        this.say("");
        return;
      case "queue":
        this.showQueue(event);
        return;
      case "retry_scheduled":
        this.say(retrying(event), "sync");
        this.line.title = event.error;
        return;
      case "retry_attempt_start":
        this.say("Trying again…", "loading.codicon-modifier-spin");
        return;
      case "retry_finished":
      case "branch_summary_end":
        this.say("");
        return;
      case "compaction_start":
        this.say("Compacting the conversation…", "loading.codicon-modifier-spin");
        return;
      case "compaction_end":
        this.say(event.error ? `The compaction failed: ${event.error}` : event.cancelled ? "The compaction was stopped." : compacted(event), "fold"); // one that was asked for is told where it was
        return;
      case "branch_summary_start":
        this.say("Summarising the branch that is left…", "loading.codicon-modifier-spin");
        return;
      case "foreign_append":
        this.say(`Another program added ${event.count === 1 ? "an entry" : `${event.count} entries`} to this session.`, "info");
        return;
      default:
    }
  }

  fail(text: string): void {
    const close = iconButton("close", "Close", () => { this.problem.hidden = true; });
    this.problem.replaceChildren(icon("error"), ` ${text} `, remedyButtons(text, this.actions) ?? "", close);
    this.problem.hidden = false;
  }

  showQueue(queue: Queue): void {
    this.queued.show(queue);
  }

  /** There is no server. */
  down(status: Exclude<Status, "ready">): void {
    this.clear();
    const [text, symbol] = status === "starting" ? ["The Pi server is starting…", "loading.codicon-modifier-spin"] : ["The Pi server is not running.", "debug-disconnect"];
    this.server.replaceChildren(icon(symbol), ` ${text}`, remedyButtons(text, this.actions) ?? "");
    this.server.hidden = false;
    this.queued.show({ steer: [], followUp: [] });
  }

  /** Rule files that could be added to the session. */
  offer(text: string, uris: string[]): void {
    const done = (): void => { this.offered.hidden = true; };
    const load = (): void => {
      done();
      this.post({ type: "loadRules", uris });
    };
    const button = (title: string, press: () => void): HTMLElement => h("button.link", { type: "button", onclick: press }, title);
    this.offered.replaceChildren(icon("book"), ` ${text}`, h("div.actions", {}, button("Load", load), button("Not Now", done)));
    this.offered.hidden = false;
  }

  private say(text: string, symbol = "info"): void {
    this.line.replaceChildren(icon(symbol), ` ${text}`);
    this.line.hidden = text === "";
    this.line.title = "";
  }
}

/** "The provider is busy; trying again in 4 s (2 of 3)." */
export function retrying({ reason, delayMs, attempt, maxAttempts }: Pick<PiEvent & { type: "retry_scheduled" }, "reason" | "delayMs" | "attempt" | "maxAttempts">): string {
  return sentence(`${reason}; trying again in ${Number((delayMs / 1000).toFixed(1))} s (${attempt} of ${maxAttempts})`);
}

function compacted({ reason, tokensBefore, tokensAfter, summarizer }: PiEvent & { type: "compaction_end" }): string {
  if (reason === "manual") return "";
  const sizes = tokensBefore && tokensAfter ? ` from ${short(tokensBefore)} to ${short(tokensAfter)} tokens` : "";
  return `Compacted${sizes}${summarizer === "local" ? ", with a local summary" : ""}.`;
}
