// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import MarkdownIt from "markdown-it";
import { decodeHTMLStrict } from "../../webview/base/entities";

describe("character references", () => {
  it.each([
    ["&amp;", "&"],
    ["&lt;", "<"],
    ["&NewLine;", "\n"],
    ["&semi;", ";"],
    ["&nvlt;", "<\u20d2"],
    ["&CounterClockwiseContourIntegral;", "∳"],
    ["&ouml;", "ö"],
  ])("%s is read as the browser does", (reference, text) => {
    expect(decodeHTMLStrict(reference)).toBe(text);
  });

  // The library's own table is what the bundle leaves out; here it is still there to compare with.
  it.each(["&notit;", "&nosuch;", "&Amp;", "&ampx;", "&frac12;", "&zwj;", "&lang;", "&DoubleDot;"])("%s means what the library's table says", (reference) => {
    const element = document.createElement("p");
    element.innerHTML = new MarkdownIt().renderInline(reference);
    expect(decodeHTMLStrict(reference)).toBe(element.textContent);
  });
});
