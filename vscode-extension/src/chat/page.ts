/** The HTML of the chat: nothing is loaded but what the extension brings along, and no script runs but ours. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

export function chatHtml(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = randomBytes(18).toString("base64");
  const uri = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(extension, "dist", name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    "img-src data: blob:",
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${uri("codicon.css")}">
<link rel="stylesheet" href="${uri("chat.css")}">
<title>Pi</title>
</head>
<body>
<script nonce="${nonce}" src="${uri("chat.js")}"></script>
</body>
</html>`;
}

export const pageOptions = (extension: vscode.Uri): vscode.WebviewOptions => ({
  enableScripts: true,
  enableCommandUris: false,
  localResourceRoots: [vscode.Uri.joinPath(extension, "dist")],
});
