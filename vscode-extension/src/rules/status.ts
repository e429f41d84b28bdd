/** The status item: the rules for the active file. */
import * as vscode from "vscode";
import { nameOf } from "../base/places";
import type { Server } from "../server/server";
import type { RuleBook } from "./book";
import { folderTooltip, hidesSomething, summary } from "./text";

export class RuleStatus implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("piLsp.rules", vscode.StatusBarAlignment.Right, 90);
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly book: RuleBook,
  ) {
    this.item.name = "Pi: Rules";
    const update = (): void => void this.update();
    this.subscriptions = [this.item, book.onChange(update), vscode.window.onDidChangeActiveTextEditor(update)];
    update();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async update(): Promise<void> {
    const place = currentPlace();
    const rules = place && (await this.book.rulesOf(place));
    if (place?.toString() !== currentPlace()?.toString()) return; // meanwhile the person is elsewhere
    if (this.server.status !== "ready") this.say(...UNREADY[this.server.status]);
    else if (!rules) this.item.hide();
    else {
      this.say(`$(book) ${summary(rules)}`, folderTooltip(rules, nameOf) || "Pi reads no rules here", "piLsp.showRulesHere");
      this.item.backgroundColor = hidesSomething(rules)
        ? new vscode.ThemeColor("statusBarItem.warningBackground")
        : undefined;
    }
  }

  private say(text: string, tooltip: string, command: string): void {
    Object.assign(this.item, { text, tooltip, command, backgroundColor: undefined });
    this.item.accessibilityInformation = { label: `Pi: ${text.replace(/\$\(.*?\)\s*/u, "")}` };
    this.item.show();
  }
}

const UNREADY: Record<"starting" | "stopped" | "failed", [text: string, tooltip: string, command: string]> = {
  starting: ["$(loading~spin) Pi", "The Pi server is starting", "piLsp.showLog"],
  stopped: ["$(debug-disconnect) Pi", "The Pi server is not running. Start it.", "piLsp.restart"],
  failed: ["$(error) Pi", "The Pi server could not be started. Try again.", "piLsp.restart"],
};

function currentPlace(): vscode.Uri | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  return active?.scheme === "file" ? active : vscode.workspace.workspaceFolders?.[0]?.uri;
}
