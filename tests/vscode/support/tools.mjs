// What the tests need of this machine: Chromium, code-server with its own Node, and the packaged extension.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));
export const CACHE = path.join(PROJECT, ".cache", "vscode");
export const EXTENSION = path.join(PROJECT, "vscode-extension");
export const VSIX = process.env.VSIX ?? path.join(EXTENSION, "pi-lsp.vsix");
export const NODE = path.join(CACHE, "node", "node_modules", ".bin", "node");
export const CODE_SERVER = path.join(CACHE, "server", "node_modules", "code-server");
export const CHROMIUM = process.env.CHROMIUM; // run.sh has found it

export const { chromium } = createRequire(path.join(EXTENSION, "package.json"))("playwright-core");
