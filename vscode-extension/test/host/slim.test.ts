import path from "node:path";
import { build, type Plugin } from "esbuild";
import { describe, expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "../..");
const script = new URL("../../scripts/slim.mjs", import.meta.url).href;
const { slim } = (await import(/* @vite-ignore */ script)) as { slim: (library: string) => Plugin };

const bundle = async (contents: string, library: string): Promise<string> => {
  const built = await build({
    stdin: { contents, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    write: false,
    platform: library === "markdown-it" ? "browser" : "node",
    external: ["vscode"],
    plugins: [slim(library)],
    logLevel: "silent",
  });
  return built.outputFiles[0]?.text ?? "";
};

describe("what the bundles leave out", () => {
  it("is not in them, and what is used is", async () => {
    const text = await bundle('export { LanguageClient } from "vscode-languageclient/node";', "vscode-languageclient");
    expect(text).toContain("HoverFeature");
    expect(text).toContain("FileSystemWatcherFeature");
    for (const gone of ["class NotebookDocumentSyncFeature", "class SemanticTokensFeature", "class Minimatch", "class SemVer"]) expect(text).not.toContain(gone);
  });

  it("is found in the library, or the build fails", async () => {
    await expect(bundle('import "./src/base/text";', "markdown-it")).rejects.toThrow("markdown-it has no linkify-it that could be left out");
  });
});
