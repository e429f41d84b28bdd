/** "Why Did It Forget…?": what became of a text, and the button that brings it back. */
import * as vscode from "vscode";
import type { ExplainParams, Hit } from "../protocol/generated";
import type { Method } from "../protocol/methods";
import { inLabel } from "../base/inert";
import { nameOf, openFile } from "../base/places";
import { inBackground, tellProblem } from "../base/tell";
import { sentence } from "../base/text";
import type { Server } from "../server/server";
import { describe } from "../server/errors";

const TYPED_MS = 250;
const MOST = 100;

const ICONS: Record<Hit["fate"], string> = { absent: "circle-slash", changed: "edit", sent: "check" };
const FATES: Record<Hit["fate"], string> = { absent: "Not sent", changed: "Sent changed", sent: "Sent" };
const RESTORE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("debug-restart"), tooltip: "Bring it back" };
const CAUSE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("references"), tooltip: "Show what did it" };

const TITLE = "Why did it forget…?";

type Item = vscode.QuickPickItem & { hit?: Hit };

/** Search as the person types, or look at one entry. */
export function explain(server: Server, about: { query?: string; entryId?: string }): void {
  new Explainer(server, about.entryId).show(about.query ?? "");
}

class Explainer {
  private readonly pick = vscode.window.createQuickPick<Item>();
  private timer: NodeJS.Timeout | undefined;
  private asked = 0;

  constructor(
    private readonly server: Server,
    private readonly entryId: string | undefined,
  ) {
    this.pick.title = TITLE;
    this.pick.placeholder = "What you said, or what stood in a file";
    this.pick.ignoreFocusOut = true;
    this.pick.onDidChangeValue((value) => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.search(value), TYPED_MS);
    });
    this.pick.onDidAccept(() => {
      const hit = this.pick.activeItems[0]?.hit;
      if (!hit) return;
      this.pick.hide();
      inBackground(open(hit));
    });
    this.pick.onDidTriggerItemButton(({ item, button }) => void this.press(item.hit, button));
    this.pick.onDidHide(() => {
      clearTimeout(this.timer);
      this.pick.dispose();
    });
  }

  show(query: string): void {
    this.pick.value = query;
    this.pick.show();
    void this.search(query);
  }

  private async search(value: string): Promise<void> {
    const query = value.trim();
    if (!query && !this.entryId) {
      this.pick.items = [];
      return;
    }
    const turn = ++this.asked;
    this.pick.busy = true;
    const params: ExplainParams = { limit: MOST, ...(query && { query }), ...(this.entryId && { entryId: this.entryId }) };
    try {
      const { hits, more, inRequest } = await this.server.request("pi/explain", params);
      if (turn !== this.asked) return;
      this.pick.title = typeof inRequest === "boolean" ? `${TITLE} The next request ${inRequest ? "holds" : "does not hold"} it.` : TITLE;
      this.pick.items = [...hits.map((hit) => this.item(hit)), ...notes(hits.length, more)];
    } catch (error) {
      if (turn !== this.asked) return;
      this.pick.items = [{ label: `$(error) ${inLabel(describe(error))}`, alwaysShow: true }];
    }
    this.pick.busy = false;
  }

  private item(hit: Hit): Item {
    const buttons = [];
    const file = hit.uri ? nameOf(hit.uri) : "";
    if (hit.restore && this.server.supports(hit.restore.method as Method)) buttons.push(RESTORE);
    if (hit.by) buttons.push(CAUSE);
    return {
      label: `$(${ICONS[hit.fate]}) ${inLabel(hit.preview || file)}`,
      description: inLabel(file),
      detail: inLabel(said(hit)),
      alwaysShow: true,
      buttons,
      hit,
    };
  }

  private async press(hit: Hit | undefined, button: vscode.QuickInputButton): Promise<void> {
    if (!hit) return;
    try {
      if (button === CAUSE) {
        this.pick.hide();
        await showCause(hit.by ?? "");
      } else if (hit.restore) {
        await this.server.request(hit.restore.method as Method, hit.restore.params);
        await this.search(this.pick.value);
      }
    } catch (error) {
      void tellProblem(error);
    }
  }
}

/** What became of it, and why; one that says both by itself is not said twice. */
function said({ fate, detail }: Hit): string {
  return detail.toLowerCase().startsWith(FATES[fate].toLowerCase()) ? sentence(detail) : `${FATES[fate]}: ${detail}`;
}

function notes(found: number, more: boolean | undefined): Item[] {
  if (more) return [{ label: "$(ellipsis) There is more. Say more of it.", alwaysShow: true }];
  return found ? [] : [{ label: "$(info) Nothing of this session, its rules and skills holds this.", alwaysShow: true }];
}

async function open(hit: Hit): Promise<void> {
  if (hit.uri) await openFile(hit.uri, hit.range);
  else if (hit.entryId) await vscode.commands.executeCommand("piLsp.openEntry", hit.entryId);
}

/** What did it is an entry or a file. */
async function showCause(by: string): Promise<void> {
  if (by.startsWith("file:")) await openFile(by);
  else await vscode.commands.executeCommand("piLsp.openEntry", by);
}
