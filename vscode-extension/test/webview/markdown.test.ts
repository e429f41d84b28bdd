// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { LONGEST, showMarkdown } from "../../webview/base/markdown";

function shown(text: string): HTMLElement {
  const element = document.createElement("div");
  showMarkdown(element, text, { copy: () => undefined, openLink: () => undefined });
  return element;
}

const HOSTILE = [
  "<script>alert(1)</script>",
  '<img src=x onerror="alert(1)">',
  "![x](https://example.org/pixel.png)",
  "![x](data:image/svg+xml;base64,PHN2Zy8+)",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](command:workbench.action.terminal.new)",
  "[x](vscode://file/etc/passwd)",
  "[x](file:///etc/passwd)",
  "[x](data:text/html,<script>alert(1)</script>)",
  '<a href="javascript:alert(1)" onclick="alert(1)">x</a>',
  "<iframe src='https://example.org'></iframe><style>*{display:none}</style>",
  "<svg onload=alert(1)><math><mi//xlink:href='data:x,<script>'>",
  '```html" onmouseover="alert(1)\n<script>alert(1)</script>\n```',
  "<form action=https://example.org><input name=q></form>",
  "[x]: javascript:alert(1)\n\n[x]",
  "[x](//foreign.example/a.ts)",
  "[x](\\\\\\\\foreign.example\\\\share)",
  "[x](file://foreign.example/share)",
  "[x](java&#115;cript:alert(1))",
  "<https://example.org> <javascript:alert(1)>",
  "[x](vscode-insiders:extension/evil)",
];

describe("Markdown of strangers", () => {
  it.each(HOSTILE)("does nothing: %s", (text) => {
    const element = shown(text);
    expect(element.querySelectorAll("script, img, iframe, style, svg, math, form, input, object, embed, link")).toHaveLength(0);
    for (const child of element.querySelectorAll("*")) {
      expect([...child.attributes].filter(({ name }) => name.startsWith("on") || name === "style")).toEqual([]);
      expect(child.getAttribute("href") ?? "https:").toMatch(/^(?:https?|mailto):/u);
    }
  });

  it("keeps what is harmless", () => {
    const element = shown("# Title\n\n[link](https://example.org) **bold** `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |");
    expect(element.querySelector("a")?.getAttribute("href")).toBe("https://example.org");
    expect(element.querySelector("strong")?.textContent).toBe("bold");
    expect(element.querySelectorAll("td")).toHaveLength(2);
  });

  it("highlights code and copies it as it is", () => {
    const copied: string[] = [];
    const element = document.createElement("div");
    showMarkdown(element, "```python\nprint('<b>')\n```", { copy: (code) => copied.push(code), openLink: () => undefined });
    expect(element.querySelector(".hljs-string")?.textContent).toBe("'<b>'");
    element.querySelector("button")?.click();
    expect(copied).toEqual(["print('<b>')\n"]);
  });

  it("hands links to files to the extension, and nothing else", () => {
    const opened: string[] = [];
    const element = document.createElement("div");
    showMarkdown(element, "[one](src/a.ts#L3) [two](file:///w/b.ts) [three](command:x) [four](#top) [five](//host/c)", {
      copy: () => undefined,
      openLink: (link) => opened.push(link),
    });
    for (const button of element.querySelectorAll("button")) button.click();
    expect(opened).toEqual(["src/a.ts#L3", "file:///w/b.ts"]);
    expect(element.querySelectorAll("a")).toHaveLength(0);
    expect(element.textContent.trim()).toBe("one two [three](command:x) four [five](//host/c)");
  });

  it("shows a text of megabytes plain and cut", () => {
    const element = shown("x".repeat(5 * 1024 * 1024));
    expect(element.querySelector("pre")?.textContent.length).toBeLessThan(LONGEST + 50);
  });

  it("leaves the direction of each paragraph to its text, and code left to right", () => {
    const element = shown("שלום עולם\n\n漢字とかな\n\n```\ncode\n```");
    expect([...element.children].map((child) => child.getAttribute("dir"))).toEqual(["auto", "auto", "ltr"]);
  });
});
