/** Pi's own trust in the folder, which the terminal agent shares. VS Code's trust comes first: see `Server`. */
import * as vscode from "vscode";
import { inBackground, tell } from "../base/tell";
import type { Server } from "./server";

const ASKED = "trust.asked";

/** Ask once for each workspace where Pi holds something back because it was never told to trust it. */
export function offerTrust(server: Server, memory: vscode.Memento): vscode.Disposable {
  return server.onStatus((status) => {
    if (status === "ready" && vscode.workspace.isTrusted && !memory.get(ASKED)) inBackground(offer(server, memory));
  });
}

async function offer(server: Server, memory: vscode.Memento): Promise<void> {
  const state = await server.request("pi/state", {}).catch(() => undefined);
  if (!state || state.trusted) return;
  await memory.update(ASKED, true);
  const chosen = await tell(
    "Pi: this folder has settings, skills or prompts of its own. They are used only when you trust it.",
    "Trust",
    "Not Now",
  );
  if (chosen === "Trust") await server.request("pi/trust/set", { trusted: true, remember: true });
}

type Choice = vscode.QuickPickItem & { trusted: boolean; remember: boolean };

const CHOICES: Choice[] = [
  { label: "$(workspace-trusted) Trust this folder", description: "and remember it, for the terminal too", trusted: true, remember: true },
  { label: "$(workspace-trusted) Trust this folder for now", trusted: true, remember: false },
  { label: "$(workspace-untrusted) Do not trust this folder", description: "and remember it", trusted: false, remember: true },
];

export async function chooseTrust(server: Server): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    await vscode.commands.executeCommand("workbench.trust.manage");
    return;
  }
  const { trusted } = await server.request("pi/state", {});
  const title = trusted ? "Pi trusts this folder" : "Pi does not trust this folder";
  const chosen = await vscode.window.showQuickPick(CHOICES, { title, placeHolder: "Its settings, skills, prompts and hooks are used only when it is trusted" });
  if (chosen) await server.request("pi/trust/set", { trusted: chosen.trusted, remember: chosen.remember });
}
