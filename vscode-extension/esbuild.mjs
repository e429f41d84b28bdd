// Bundle the extension and its webviews into dist/; with --watch again at every change.
import { build, context } from "esbuild";
import { copyFileSync, mkdirSync } from "node:fs";

const shared = { bundle: true, minify: true, sourcemap: false, target: "es2023", logLevel: "info", outdir: "dist" };
const bundles = [
  {
    ...shared,
    entryPoints: { extension: "src/extension.ts", connection: "src/server/connection.ts" },
    platform: "node",
    format: "cjs",
    external: ["vscode", "*/connection.js"],
    mainFields: ["module", "main"],
  },
  { ...shared, entryPoints: [{ in: "webview/chat/main.ts", out: "chat" }, { in: "webview/chat/chat.css", out: "chat" }], platform: "browser", format: "iife" },
];

mkdirSync("dist", { recursive: true });
copyFileSync("node_modules/@vscode/codicons/dist/codicon.css", "dist/codicon.css");
copyFileSync("node_modules/@vscode/codicons/dist/codicon.ttf", "dist/codicon.ttf");
if (process.argv.includes("--watch")) {
  for (const options of bundles) await (await context(options)).watch();
} else {
  await Promise.all(bundles.map((options) => build(options)));
}
