/** The client of the protocol, as quiet as it should be: what goes wrong is told once, by us, and as text. */
import {
  LanguageClient,
  MessageType,
  ShowMessageNotification,
  type ShowMessageParams,
  ShowMessageRequest,
  type ShowMessageRequestParams,
} from "vscode-languageclient/node";
import { tell, tellError, tellWarning } from "../base/tell";

export class QuietClient extends LanguageClient {
  /** Its own notifications of failures are only written into the log; `failures.ts` tells the person. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  /** Show what the server says by ourselves: the library would follow links in it. Before the start. */
  speak(): void {
    this.onNotification(ShowMessageNotification.type, ({ type, message }: ShowMessageParams) => void say(type, message));
    this.onRequest(ShowMessageRequest.type, async ({ type, message, actions = [] }: ShowMessageRequestParams) => {
      const chosen = await say(type, message, ...actions.map(({ title }) => title));
      return actions.find(({ title }) => title === chosen) ?? null;
    });
  }
}

function say(type: MessageType, message: string, ...actions: string[]): Thenable<string | undefined> {
  if (type === MessageType.Error) return tellError(message, ...actions);
  return type === MessageType.Warning ? tellWarning(message, ...actions) : tell(message, ...actions);
}
