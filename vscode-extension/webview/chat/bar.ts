/** The line under the text field: model, thinking, how full the window is, what it cost. */
import type { FromPage, PageCommand } from "../../src/chat/messages";
import type { State } from "../../src/protocol/generated";
import { short } from "../../src/base/text";
import { h, icon } from "../base/dom";

export class Bar {
  readonly element = h("div.bar");
  private readonly model = this.button("chooseModel");
  private readonly thinking = this.button("chooseThinking", ".whole");
  private readonly meterFill = h("span.fill");
  private readonly meterText = h("span");
  private readonly meter = this.button("showContext", ".context");
  private readonly cost = h("span.cost");

  constructor(private readonly post: (message: FromPage) => void) {
    this.meter.append(h("span.meter", { "aria-hidden": "true" }, this.meterFill), this.meterText);
    this.element.append(this.model, this.thinking, this.meter, this.cost);
  }

  show(state: State): void {
    const { model, context, cost } = state;
    const name = model ? (model.name ?? model.id) : "No model";
    say(this.model, name.replace(/^Claude (?=\S)| \(latest\)$/gu, ""), `Choose the model (${name})`);
    say(this.thinking, state.thinkingLevel, "Choose how much it thinks");
    this.thinking.prepend(icon("lightbulb"), " ");
    this.showContext(context.tokens, context.window, context.percent, context.source);
    this.cost.textContent = cost.total > 0 ? `$${cost.total.toFixed(cost.total < 1 ? 3 : 2)}` : "";
    this.cost.title = "What this session cost";
  }

  private showContext(tokens: number | null, window: number, percent: number | null, source: string): void {
    this.meterFill.style.width = `${Math.min(100, percent ?? 0)}%`;
    this.meterFill.classList.toggle("full", (percent ?? 0) > 80);
    const filled = tokens === null ? "?" : `${source === "estimated" ? "≈" : ""}${short(tokens)}`;
    this.meterText.replaceChildren(filled, h("span.window", {}, ` / ${short(window)}`));
    const words = tokens === null ? "How full the window is will be known after the next answer" : `${tokens.toLocaleString()} of ${window.toLocaleString()} tokens, ${source}`;
    this.meter.title = `${words}. Show what the model sees.`;
    this.meter.setAttribute("aria-label", this.meter.title);
  }

  private button(name: PageCommand, more = ""): HTMLElement {
    return h(`button.quiet${more}`, { type: "button", onclick: () => { this.post({ type: "command", name }); } });
  }
}

function say(button: HTMLElement, text: string, title: string): void {
  button.textContent = text;
  button.title = title;
  button.setAttribute("aria-label", `${title}: ${text}`);
}
