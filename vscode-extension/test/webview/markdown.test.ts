// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { LONGEST, showMarkdown } from "../../webview/base/markdown";

function shown(text: string): HTMLElement {
  const element = document.createElement("div");
  showMarkdown(element, text, () => undefined);
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
    showMarkdown(element, "```python\nprint('<b>')\n```", (code) => copied.push(code));
    expect(element.querySelector(".hljs-string")?.textContent).toBe("'<b>'");
    element.querySelector("button")?.click();
    expect(copied).toEqual(["print('<b>')\n"]);
  });

  it("shows a text of megabytes plain and cut", () => {
    const element = shown("x".repeat(5 * 1024 * 1024));
    expect(element.querySelector("pre")?.textContent.length).toBeLessThan(LONGEST + 10);
  });

  it("leaves the direction of each paragraph to its text, and code left to right", () => {
    const element = shown("שלום עולם\n\n漢字とかな\n\n```\ncode\n```");
    expect([...element.children].map((child) => child.getAttribute("dir"))).toEqual(["auto", "auto", "ltr"]);
  });
});
