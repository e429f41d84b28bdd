/** Rule files below the working directory, offered when the work has come to their folders: in the chat where it is seen. */
import type * as vscode from "vscode";
import type { Chat } from "../chat/chat";
import { nameOf } from "../base/places";
import { inBackground, tell } from "../base/tell";
import type { Server } from "../server/server";
import { offerText } from "./text";

const LOAD = "Load";

export function offerRules(server: Server, chat: Chat): vscode.Disposable {
  return server.onEvent((event) => {
    if (event.type !== "rules_offered" || event.uris.length === 0) return;
    const text = offerText(event.uris, nameOf);
    if (chat.isVisible) chat.announce({ type: "offer", text, uris: event.uris });
    else inBackground(offer(server, text, event.uris));
  });
}

async function offer(server: Server, text: string, uris: string[]): Promise<void> {
  if ((await tell(`Pi: ${text}`, LOAD, "Not Now")) === LOAD) await server.request("pi/rules/load", { uris });
}
