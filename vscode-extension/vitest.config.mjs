import path from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { vscode: path.join(import.meta.dirname, "test/support/vscode.ts") } },
  test: { include: ["test/**/*.test.ts"], reporters: ["default"], cache: false },
});
