// All scenarios, one behind the other in one VS Code. The first start comes first; what changes settings for all
// windows comes last.
import assert from "node:assert/strict";
import { scenario, theEditor, theHelper } from "./support/shared.mjs";

await import("./start.mjs");
await import("./rules.mjs");
await import("./chat.mjs");
await import("./trouble.mjs");
await import("./tree.mjs");
await import("./compaction.mjs");
await import("./sessions.mjs");
await import("./hostile.mjs");
await import("./folders.mjs");
await import("./trust.mjs");

scenario("nothing was asked of anybody else", async () => {
  const { foreign, requests } = await theEditor();
  assert.ok(requests > 100); // so they are seen at all
  assert.deepEqual([...foreign], []);
});

scenario("no request broke a rule of the API", async () => {
  assert.deepEqual(await (await theHelper()).refusals(), []);
});
