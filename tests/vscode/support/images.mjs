// Images that a person gives to the chat, by the clipboard and by drag and drop.
import { readFileSync } from "node:fs";
import path from "node:path";
import { EXTENSION } from "./tools.mjs";

const IMAGE = path.join(EXTENSION, "media", "icon.png");

/** Copy an image as another page would, and press the keys of "paste" in the field. */
export async function pasteImage({ page }, field) {
  await page.evaluate(async (data) => {
    const blob = new Blob([Uint8Array.from(atob(data), (one) => one.charCodeAt(0))], { type: "image/png" });
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
  }, readFileSync(IMAGE, "base64"));
  await field.focus();
  await field.press("Control+V");
}

/** Drag the file of an image out of another program, and drop it on an element. */
export async function dropImage({ page }, element) {
  const { x, y, width, height } = await element.boundingBox();
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [IMAGE], dragOperationsMask: 1 };
  // VS Code gives a webview what is dragged from outside while Shift is held.
  for (const type of ["dragEnter", "dragOver", "dragOver", "drop"]) {
    await session.send("Input.dispatchDragEvent", { type, x: x + width / 2, y: y + height / 2, data, modifiers: 8 });
  }
  await session.detach();
}
