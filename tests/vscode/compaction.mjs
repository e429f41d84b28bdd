// Compaction: looked at before, done by the model and without one, taken back.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe } from "node:test";
import { scenario, theEditor, theModel } from "./support/shared.mjs";

describe("compaction", () => {
  let model;
  let session;
  let window;
  let chat;

  before(async () => {
    const editor = await theEditor();
    model = await theModel();
    const workspace = editor.profile.sample("mole");
    session = path.join(editor.profile.sessions(workspace), "sample.jsonl");
    editor.profile.trust({ [workspace]: true });
    window = await editor.open(workspace);
    await window.status("2 rules");
    await window.command("Pi: Open Chat");
    chat = await window.webview();
    await chat.locator(".item").first().waitFor();
  });
  after(() => window?.close());

  const folds = () => chat.locator(".item.compaction");
  const foldCount = (count) => window.until(async () => (await folds().count()) === count, `there are not ${count} compactions`);

  scenario("previews it, which writes nothing", async () => {
    const stored = readFileSync(session, "utf8");
    await window.command("Pi: Preview Compaction");
    await window.lens("local summary").waitFor();
    await window.shots("compaction-preview");
    assert.equal(readFileSync(session, "utf8"), stored);
  });

  scenario("is stopped by a reload of the window, and leaves nothing behind", async () => {
    const stored = readFileSync(session, "utf8");
    await model.will({ text: "## Goal\nNever finished.", stall_after: 3 });
    await window.command("Pi: Compact Session");
    await window.notification("Compacting the session").waitFor();
    await chat.locator(".notice", { hasText: "Compacting" }).waitFor();
    await window.shots("compacting");
    await window.reload();
    await window.status("2 rules");
    await window.command("Pi: Open Chat");
    chat = await window.webview();
    await chat.locator(".item").first().waitFor();
    await chat.locator("button.stop").waitFor({ state: "hidden" });
    assert.equal(await window.page.locator(".notification-list-item").count(), 0);
    assert.equal(await chat.locator(".notice:visible").count(), 0);
    assert.equal(readFileSync(session, "utf8"), stored);
  });

  scenario("lets the model write the summary, as it is told to, and takes it back", async () => {
    const before = await folds().count();
    await model.will(
      { text: "## Goal\nBookings that touch must not overlap.\n\n## Next Steps\n1. Import shortLabel.\n" },
      { text: "The labels were cut off in the kiosk." }, // the turn that is cut has a summary of its own
    );
    await window.command("Pi: Compact Session with Instructions");
    await window.answer("Keep the names of the ports.", { enter: true });
    await window.notification("compacted").waitFor();
    await foldCount(before + 1);
    assert.match(JSON.stringify((await model.lastRequest()).body), /Keep the names of the ports\./u);
    await folds().last().locator("summary").click();
    await folds().last().locator("li", { hasText: "Import shortLabel." }).scrollIntoViewIfNeeded();
    await window.dismiss();
    await window.shots("compacted");
    await window.command("Pi: Undo Compaction");
    await foldCount(before);
    await window.dismiss();
  });

  scenario("does it without a model, and takes it back from the notification", async () => {
    const before = await folds().count();
    await window.command("Pi: Preview Compaction");
    await window.lens("local summary").click();
    const done = window.notification("compacted");
    await done.waitFor();
    await foldCount(before + 1);
    await window.lines("Nothing has happened").waitFor(); // which is what the preview says now
    await window.shots("compacted-locally", () => done.hover());
    await done.locator(".monaco-button", { hasText: "Undo" }).click();
    await foldCount(before);
  });
});
