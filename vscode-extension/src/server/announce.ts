/** What the server can do, as context keys: menus show only what works with it. */
import * as vscode from "vscode";
import type { Method } from "../protocol/methods";
import type { Server } from "./server";

/** Methods that menus ask for; the key of "pi/tree/switch" is `piLsp.can.tree.switch`. */
const ASKED: Method[] = [
  "pi/auth/set",
  "pi/chat",
  "pi/compact",
  "pi/compact/undo",
  "pi/rules/load",
  "pi/rules/session",
  "pi/session/fork",
  "pi/tree/label",
  "pi/tree/switch",
];

export function announce(server: Server): vscode.Disposable {
  return vscode.Disposable.from(
    server.onStatus((status) => {
      void set("piLsp.ready", status === "ready");
      void set("piLsp.down", status === "stopped" || status === "failed");
      void set("piLsp.running", false);
      for (const method of ASKED) void set(`piLsp.can.${method.slice(3).replaceAll("/", ".")}`, server.supports(method));
    }),
    server.onEvent(({ type }) => {
      if (STARTS.has(type)) void set("piLsp.running", true);
      else if (ENDS.has(type)) void set("piLsp.running", false);
    }),
  );
}

/** What "Stop" ends; a compaction within a run ends before it. */
const STARTS = new Set(["agent_start", "compaction_start", "branch_summary_start", "turn_start"]);
const ENDS = new Set(["agent_end", "compaction_end", "branch_summary_end"]);

const set = (key: string, value: boolean): Thenable<unknown> => vscode.commands.executeCommand("setContext", key, value);
