/** The connection to a server process. A bundle of its own, loaded when the server is started. */
import type * as vscode from "vscode";
import { CloseAction, ErrorAction, type LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";
import type { EventParams } from "../protocol/generated";
import type { Happened } from "../protocol/methods";
import { PiFeature } from "./capabilities";
import type { Command } from "./launch";
import { QuietClient } from "./quiet";

/** A request from the server that a person or the editor answers. */
export type Answer = (params: never, token: vscode.CancellationToken) => unknown;

export interface Listening {
  log: vscode.LogOutputChannel;
  initializationOptions: object;
  answers: ReadonlyMap<string, Answer>;
  happened: (event: Happened) => void;
  /** The process has ended, asked or not. */
  closed: () => void;
}

export function connect(command: Command, { log, initializationOptions, answers, happened, closed }: Listening): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file" }],
    outputChannel: log,
    markdown: { isTrusted: false, supportHtml: false },
    initializationOptions,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: (error) => {
        log.error(error.message);
        return { action: ErrorAction.Continue, handled: true };
      },
      closed: () => {
        closed();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
  };
  const client = new QuietClient("piLsp", "Pi", command, options);
  client.registerFeature(new PiFeature());
  client.speak();
  client.onNotification("pi/event", (params: EventParams) => {
    happened({ ...params.event, seq: params.seq });
  });
  for (const [method, answer] of answers) {
    client.onRequest(method, (params: never, token: vscode.CancellationToken) => answer(params, token));
  }
  return client;
}
