import { describe, expect, it } from "vitest";
import type * as vscode from "vscode";
import { Uri } from "../support/vscode";
import { inLabel, inMessage, oneLine } from "../../src/base/inert";
import { question } from "../../src/chat/approval";
import { fromPage } from "../../src/chat/heard";
import { placeOf } from "../../src/chat/links";
import { chatHtml, pageOptions } from "../../src/chat/page";

const BIDI = "safe \u202etxt.exe\u2066 \u0007\u0000 end";

describe("text of strangers in VS Code's own places", () => {
  it.each([
    ["[run](command:workbench.action.quit)", /\]\(/u],
    ["[a](https://example.org) [b](file:///etc/passwd)", /\]\(/u],
    [BIDI, /[\u202e\u2066]|\p{Cc}/u],
    ["two\nlines\u2028three", /[\n\u2028]/u],
  ])("is no link and no control in a notification: %j", (text, acts) => {
    expect(text).toMatch(acts);
    expect(inMessage(text)).not.toMatch(acts);
  });

  it("is cut in a notification, and says so", () => {
    expect(inMessage("x".repeat(5000))).toMatch(/^x{1000}…$/u);
  });

  it("is no picture in a label", () => {
    expect(inLabel("$(verified) trusted $(x~spin)")).toBe("\\$(verified) trusted \\$(x~spin)");
    expect(oneLine("שלום 漢字 مرحبا")).toBe("שלום 漢字 مرحبا");
  });
});

describe("links of answers", () => {
  it.each([
    ["src/a.ts", { path: "src/a.ts" }],
    ["./src/a%20b.ts#L10", { path: "./src/a b.ts", line: 9 }],
    ["src/a.ts#L10-L20", { path: "src/a.ts", line: 9 }],
    ["src/a.ts:7:3", { path: "src/a.ts", line: 6 }],
    ["/abs/a.ts:0", { path: "/abs/a.ts", line: 0 }],
    ["file:///w/a.ts#heading", { path: "/w/a.ts" }],
    ["file:///C:/w/a.ts:3", { path: "C:/w/a.ts", line: 2 }],
    ["C:\\w\\a.ts", { path: "C:\\w\\a.ts" }],
  ])("%s is a file", (link, place) => {
    expect(placeOf(link)).toEqual(place);
  });

  it.each([
    "", "#section", "https://example.org/a.ts", "command:workbench.action.quit", "javascript:alert(1)", "vscode://x/y",
    "data:text/html,x", "//host/share/a", "\\\\host\\share", "/\\host\\share", "file://host/share", "%5c%5chost%5cshare", "%2f%2fhost", "a%00b", "%", "file:////host/x",
  ])("%j is none", (link) => {
    expect(placeOf(link)).toBeUndefined();
  });
});

describe("messages of the page", () => {
  const send = { type: "send", text: "hi", mode: "steer", images: [], attachments: [] };
  const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 2 } };

  it.each([
    { type: "ready" },
    send,
    { ...send, images: [{ mimeType: "image/png", data: "aGk=" }], attachments: [{ uri: "file:///a", label: "a", range }] },
    { type: "queue", queue: { steer: ["a"], followUp: [] } },
    { type: "command", name: "chooseModel" },
    { type: "openLink", link: "a.ts" },
  ])("are taken: %j", (message) => {
    expect(fromPage(message)).toBe(message);
  });

  it.each([
    null,
    "ready",
    [],
    {},
    { type: 3 },
    { type: "toString" },
    { type: "__proto__" },
    { type: "constructor", text: "x" },
    { ...send, text: ["x"] },
    { ...send, mode: "force" },
    { ...send, images: [{ mimeType: "text/html", data: "aGk=" }] },
    { ...send, images: [{ mimeType: "image/png", data: "<svg>" }] },
    { ...send, attachments: [{ uri: "https://example.org", label: "a" }] },
    { ...send, attachments: [{ uri: "file:///a", label: "a", range: { start: { line: -1, character: 0 } } }] },
    { ...send, attachments: undefined },
    { type: "queue", queue: { steer: "a", followUp: [] } },
    { type: "command", name: "workbench.action.quit" },
    { type: "command", name: "trust" },
    { type: "command" },
    { type: "drop", uris: ["command:x"] },
    { type: "complete", query: "**/*" },
  ])("are not taken: %j", (message) => {
    expect(fromPage(message)).toBeUndefined();
  });
});

describe("the page", () => {
  const extension = Uri.file("/ext") as unknown as vscode.Uri;
  const webview = { cspSource: "https://own.example", asWebviewUri: (uri: vscode.Uri) => uri } as unknown as vscode.Webview;
  const policyOf = (html: string): Map<string, string> => {
    const content = /http-equiv="Content-Security-Policy" content="([^"]+)"/u.exec(html)?.[1] ?? "";
    return new Map(content.split("; ").map((one) => [one.slice(0, one.indexOf(" ")), one.slice(one.indexOf(" ") + 1)]));
  };

  it("lets nothing in but what the extension brings along", () => {
    const html = chatHtml(webview, extension);
    const policy = policyOf(html);
    const nonce = /<script nonce="([^"]+)"/u.exec(html)?.[1] ?? "";
    expect(nonce.length).toBeGreaterThan(20);
    expect(policy.get("default-src")).toBe("'none'");
    expect(policy.get("script-src")).toBe(`'nonce-${nonce}'`);
    expect(policy.get("img-src")).toBe("data: blob:");
    expect([...policy.values()].join(" ")).not.toMatch(/unsafe|\*|http:/u);
    expect([...policy.keys()]).not.toContain("connect-src"); // so the default holds
    expect(html.match(/<script/gu)).toHaveLength(1);
    expect(chatHtml(webview, extension)).not.toContain(nonce);
  });

  it("has no command links, and reads no other folder", () => {
    const options = pageOptions(extension);
    expect(options.enableCommandUris).toBe(false);
    expect(options.localResourceRoots?.map(String)).toEqual(["file:///ext/dist"]);
  });
});

describe("the question before a tool call", () => {
  it("shows a short command whole", () => {
    expect(question({ command: "make test", title: "", outside: false })).toEqual({ text: "Pi wants to run: make test", cut: false });
  });

  it.each([["ls\nrm -rf ~"], ["ls\r\nrm -rf ~"], [`true ${" ".repeat(300)}; rm -rf ~`], ["ls\u2028rm -rf ~"], ["ls \u202e~ fr- mr"]])("says that there is more of %j", (command) => {
    const { text, cut } = question({ command, title: "", outside: true });
    expect(cut).toBe(true);
    expect(text).toContain("…");
    expect(text).toMatch(/outside the workspace\.$/u);
  });

  it("has no link in it", () => {
    expect(inMessage(question({ title: "edit [a](command:x)", outside: false }).text)).not.toContain("](");
  });
});
