/** Buttons for what can be done about a problem. */
import type { PageCommand } from "../../src/chat/messages";
import { REMEDIES, type Remedy, remedies } from "../../src/server/errors";
import { h } from "../base/dom";

export interface RemedyActions {
  command: (name: PageCommand) => void;
}

/** Those that help with what a text says; null where nothing does. */
export function remedyButtons(text: string, actions: RemedyActions, known: readonly Remedy[] = remedies(text)): HTMLElement | null {
  const buttons = known.map((title) => h("button.link", { type: "button", onclick: () => { actions.command(REMEDIES[title]); } }, title));
  return buttons.length ? h("div.actions", {}, ...buttons) : null;
}
