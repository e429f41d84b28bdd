/** What happens beside the conversation: retries, compactions, queued messages, problems. */
import type { FromPage } from "../../src/chat/messages";
import type { Queue } from "../../src/protocol/generated";
import type { PiEvent } from "../../src/protocol/methods";
import { sentence, short } from "../../src/base/text";
import { remedies } from "../../src/server/errors";
import { h, icon, iconButton } from "../base/dom";

const TITLES = { setApiKey: "Set API Key", chooseModel: "Choose Model" };

export class Notices {
  private readonly line = h("div.notice", { role: "status", hidden: true });
  private readonly problem = h("div.notice.problem", { role: "alert", hidden: true });
  private readonly queued = h("ul.queue", { "aria-label": "Messages that wait", hidden: true });
  private readonly offered = h("div.notice", { role: "status", hidden: true });
  readonly element = h("div.notices", {}, this.problem, this.offered, this.line, this.queued);
  private queue: Queue = { steer: [], followUp: [] };

  constructor(private readonly post: (message: FromPage) => void) {}

  clear(): void {
    this.say("");
    this.problem.hidden = true;
  }

  happened(event: PiEvent): void {
    switch (event.type) {
      case "agent_start":
        this.clear();
        return;
      case "agent_end":
        this.say("");
        return;
      case "queue":
        this.showQueue(event);
        return;
      case "retry_scheduled":
        this.say(`${sentence(event.error)} Trying again in ${Number((event.delayMs / 1000).toFixed(1))} s (${event.attempt} of ${event.maxAttempts}).`, "sync");
        return;
      case "retry_attempt_start":
        this.say(`Trying again (${event.attempt})…`, "loading.codicon-modifier-spin");
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
    const actions = remedies(text).map((name) => h("button.link", { type: "button", onclick: () => { this.post({ type: "command", name }); } }, TITLES[name]));
    this.problem.replaceChildren(icon("error"), ` ${text} `, ...(actions.length ? [h("div.actions", {}, ...actions)] : []), close);
    this.problem.hidden = false;
  }

  showQueue(queue: Queue): void {
    this.queue = { steer: [...queue.steer], followUp: [...queue.followUp] };
    const row = (kind: keyof Queue) => (text: string, index: number) =>
      h(
        "li",
        {},
        h("span.caption", {}, kind === "steer" ? "Steering" : "After this"),
        this.editor(kind, index, text),
        iconButton("close", "Do not send", () => { this.change(kind, index, ""); }),
      );
    this.queued.replaceChildren(...queue.steer.map(row("steer")), ...queue.followUp.map(row("followUp")));
    this.queued.hidden = this.queued.childElementCount === 0;
  }

  private editor(kind: keyof Queue, index: number, text: string): HTMLElement {
    const field = h("input", { dir: "auto", "aria-label": "Queued message" }) as HTMLInputElement;
    field.value = text;
    field.addEventListener("change", () => { this.change(kind, index, field.value.trim()); });
    return field;
  }

  private change(kind: keyof Queue, index: number, text: string): void {
    const texts = this.queue[kind].flatMap((one, place) => (place !== index ? [one] : text ? [text] : []));
    this.post({ type: "queue", queue: { ...this.queue, [kind]: texts } });
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
  }
}

function compacted({ reason, tokensBefore, tokensAfter, summarizer }: PiEvent & { type: "compaction_end" }): string {
  if (reason === "manual") return "";
  const sizes = tokensBefore && tokensAfter ? ` from ${short(tokensBefore)} to ${short(tokensAfter)} tokens` : "";
  return `Compacted${sizes}${summarizer === "local" ? ", with a local summary" : ""}.`;
}
