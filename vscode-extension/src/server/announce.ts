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
  return server.onStatus((status) => {
    void set("piLsp.ready", status === "ready");
    void set("piLsp.down", status === "stopped" || status === "failed");
    for (const method of ASKED) void set(`piLsp.can.${method.slice(3).replaceAll("/", ".")}`, server.supports(method));
  });
}

const set = (key: string, value: boolean): Thenable<unknown> => vscode.commands.executeCommand("setContext", key, value);
