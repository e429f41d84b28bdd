// Bundle the extension and its webviews into dist/; with --watch again at every change.
import { build, context } from "esbuild";
import { copyFileSync, mkdirSync } from "node:fs";
import { slim } from "./scripts/slim.mjs";

/** What all scripts may weigh together. The build fails beyond it. */
const MOST_BYTES = 600_000;

const shared = { bundle: true, minify: true, metafile: true, sourcemap: false, target: "es2023", charset: "utf8", logLevel: "info", outdir: "dist" };
const bundles = [
  {
    ...shared,
    entryPoints: { extension: "src/extension.ts", connection: "src/server/connection.ts" },
    platform: "node",
    format: "cjs",
    external: ["vscode", "*/connection.js"],
    mainFields: ["module", "main"],
    plugins: [slim("vscode-languageclient")],
  },
  {
    ...shared,
    entryPoints: [{ in: "webview/chat/main.ts", out: "chat" }, { in: "webview/chat/chat.css", out: "chat" }],
    platform: "browser",
    format: "iife",
    plugins: [slim("markdown-it")],
  },
];

function weigh(results) {
  const scripts = results.flatMap(({ metafile }) => Object.entries(metafile.outputs)).filter(([name]) => name.endsWith(".js"));
  const all = scripts.reduce((sum, [, { bytes }]) => sum + bytes, 0);
  console.log(`all scripts: ${all} of ${MOST_BYTES} bytes`);
  if (all > MOST_BYTES) process.exitCode = 1;
}

mkdirSync("dist", { recursive: true });
copyFileSync("node_modules/@vscode/codicons/dist/codicon.css", "dist/codicon.css");
copyFileSync("node_modules/@vscode/codicons/dist/codicon.ttf", "dist/codicon.ttf");
if (process.argv.includes("--watch")) {
  for (const options of bundles) await (await context(options)).watch();
} else {
  weigh(await Promise.all(bundles.map((options) => build(options))));
}
