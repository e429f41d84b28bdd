/** Which rules apply where, remembered until they change. */
import * as vscode from "vscode";
import type { Rules } from "../protocol/generated";
import { Batcher } from "../base/batcher";
import type { Server } from "../server/server";

export class RuleBook implements vscode.Disposable {
  private known = new Map<string, Promise<Rules>>();
  private readonly batcher = new Batcher((uris) => this.ask(uris));
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];

  readonly onChange = this.changed.event;

  constructor(private readonly server: Server) {
    this.subscriptions = [
      this.changed,
      server.onStatus(() => { this.forget(); }),
      server.onEvent((event) => {
        if (event.type === "session_changed" || (event.type === "resources_changed" && event.rules)) this.forget();
      }),
    ];
  }

  /** The rules of a folder, or of the folder a file is in; undefined while nobody can tell. */
  async rulesOf(uri: vscode.Uri): Promise<Rules | undefined> {
    if (uri.scheme !== "file" || this.server.status !== "ready") return undefined;
    const key = uri.toString();
    const known = this.known;
    let rules = known.get(key);
    if (!rules) {
      rules = this.batcher.get(key);
      known.set(key, rules);
    }
    return rules.catch(() => {
      known.delete(key);
      return undefined;
    });
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async ask(uris: string[]): Promise<Rules[]> {
    const answer = await this.server.request("pi/rules", { uris });
    return "results" in answer ? answer.results : [answer];
  }

  private forget(): void {
    this.known = new Map();
    this.changed.fire();
  }
}
