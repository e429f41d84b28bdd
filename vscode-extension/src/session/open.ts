/** "Open Session…": the sessions of this folder, or of all, found as one types. */
import * as vscode from "vscode";
import type { ListedSession } from "../protocol/generated";
import { inLabel } from "../base/inert";
import { tellProblem } from "../base/tell";
import { ago, counted } from "../base/text";
import type { Server } from "../server/server";
import { describe } from "../server/errors";

const TYPED_MS = 200;
const MOST = 100;

type Item = vscode.QuickPickItem & { session?: ListedSession };

export function openSession(server: Server): void {
  new Picker(server).show();
}

class Picker {
  private readonly pick = vscode.window.createQuickPick<Item>();
  private all = false;
  private timer: NodeJS.Timeout | undefined;
  private asked = 0;

  constructor(private readonly server: Server) {
    this.pick.title = "Open session";
    this.pick.matchOnDescription = true;
    this.pick.matchOnDetail = true;
    this.pick.onDidChangeValue(() => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.fill(), TYPED_MS);
    });
    this.pick.onDidTriggerButton(() => {
      this.all = !this.all;
      void this.fill();
    });
    this.pick.onDidAccept(() => void this.accept());
    this.pick.onDidHide(() => {
      clearTimeout(this.timer);
      this.pick.dispose();
    });
  }

  show(): void {
    this.pick.show();
    void this.fill();
  }

  private async fill(): Promise<void> {
    const turn = ++this.asked;
    this.pick.busy = true;
    this.pick.placeholder = this.all ? "Sessions of all folders" : "Sessions of this folder";
    this.pick.buttons = [
      {
        iconPath: new vscode.ThemeIcon(this.all ? "folder" : "globe"),
        tooltip: this.all ? "Only this folder" : "All folders",
      },
    ];
    try {
      const query = this.pick.value.trim();
      const found = await this.server.request("pi/session/list", { all: this.all, limit: MOST, ...(query && { query }) });
      if (turn === this.asked) this.pick.items = [...found.sessions.map((one) => this.item(one)), ...ended(found.next)];
    } catch (error) {
      if (turn !== this.asked) return;
      this.pick.items = [{ label: `$(error) ${inLabel(describe(error))}`, alwaysShow: true }];
    }
    if (turn === this.asked) this.pick.busy = false;
  }

  private item(session: ListedSession): Item {
    const facts = [
      ago(session.modified, Date.now()),
      session.entries ? counted(session.entries, "entry", "entries") : "",
      session.current ? "open here" : "",
      session.openElsewhere ? "$(warning) open elsewhere" : "",
      session.continuedIn ? "continued in a newer file" : "",
      this.all ? inLabel(session.cwd) : "",
    ];
    const name = inLabel(session.name ?? session.firstMessage ?? "Empty session");
    return {
      label: `$(${session.current ? "check" : "comment-discussion"}) ${name}`,
      description: facts.filter(Boolean).join(" · "),
      ...(session.name && session.firstMessage ? { detail: inLabel(session.firstMessage) } : {}),
      alwaysShow: true, // the server has searched
      session,
    };
  }

  private async accept(): Promise<void> {
    const session = this.pick.activeItems[0]?.session;
    if (!session) return;
    this.pick.hide();
    try {
      await this.server.request("pi/session/open", { file: session.file });
    } catch (error) {
      void tellProblem(error);
    }
  }
}

const ended = (next: string | null | undefined): Item[] =>
  next ? [{ label: "$(ellipsis) There are more. Type to find them.", alwaysShow: true }] : [];
