/** Work that takes a while, with a way to end it. */
import * as vscode from "vscode";

/** What is over before that is not announced: VS Code leaves a notification standing for a moment. */
const QUICK_MS = 500;

export async function withProgress<T>(title: string, work: (token: vscode.CancellationToken) => Promise<T>): Promise<T> {
  const cancel = new vscode.CancellationTokenSource();
  const result = work(cancel.token);
  const show = (): void => {
    const options = { location: vscode.ProgressLocation.Notification, title: `Pi: ${title}`, cancellable: true };
    void vscode.window.withProgress(options, (_progress, token) => {
      token.onCancellationRequested(() => { cancel.cancel(); });
      return result.then(() => undefined, () => undefined); // whoever asked for the work is told
    });
  };
  const late = setTimeout(show, QUICK_MS);
  try {
    return await result;
  } finally {
    clearTimeout(late);
    cancel.dispose();
  }
}
