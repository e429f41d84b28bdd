// One window of VS Code, as a person uses it.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CACHE } from "./tools.mjs";

const SHOTS = process.env.SHOTS ?? path.join(CACHE, "shots");
const STARTED_MS = 120_000; // pip may be slow
const PATIENCE_MS = 30_000;
const SAME = 20; // pictures that are compared at most
const AWAY = [420, 790]; // where the status bar is empty

export class Workbench {
  constructor(page, editor) {
    this.page = page;
    this.editor = editor;
    this.input = page.locator(".quick-input-widget .quick-input-box input");
  }

  /** `place`: a folder or a workspace file; none for an empty window. */
  async load(place) {
    const kind = place?.endsWith(".code-workspace") ? "workspace" : "folder";
    const query = place ? `?${kind}=${encodeURI(place)}` : "?ew=true";
    const url = `http://127.0.0.1:${this.editor.port}/${query}`;
    const rows = this.page.locator(".explorer-folders-view .monaco-list-row");
    // VS Code sometimes misses the folders of a workspace file that it has not seen before.
    for (let tries = 0; tries < 4; tries++) {
      await this.page.goto(url);
      await this.#ready();
      if (kind === "folder" || (await appears(rows.first(), 10_000))) return;
    }
  }

  /** Load the window again, as its command does. */
  async reload() {
    const loaded = this.page.waitForEvent("load");
    await this.command("Developer: Reload Window");
    await loaded;
    await this.#ready();
  }

  async #ready() {
    await this.page.locator(".monaco-workbench .statusbar-item").first().waitFor({ timeout: STARTED_MS });
  }

  /** Our status item, once it says this. */
  async status(text) {
    const item = this.page.locator('.statusbar-item[id*="piLsp"]', { hasText: text }).first();
    await item.waitFor({ timeout: STARTED_MS });
    return item;
  }

  // --- pictures -------------------------------------------------------------------------------------------------

  /** A picture of the window, once it stands still. */
  async shot(name) {
    let last = await this.#picture();
    for (let tries = 0; tries < SAME; tries++) {
      const next = await this.#picture();
      if (next.equals(last)) break;
      last = next;
    }
    mkdirSync(SHOTS, { recursive: true });
    writeFileSync(path.join(SHOTS, `${name}.png`), last);
  }

  #picture() {
    return this.page.screenshot({ animations: "disabled", caret: "hide" });
  }

  /** The same place in light and in dark; `again` brings back what goes away when the mouse does. */
  async shots(name, again = async () => {}) {
    for (const theme of ["light", "dark"]) {
      await this.aside();
      await this.theme(theme);
      await again();
      await this.shot(`${name}-${theme}`);
    }
  }

  /** Take the mouse from whatever it points at; a tooltip may need a second nudge. */
  async aside() {
    const hover = this.page.locator(".monaco-hover:visible").first();
    for (let tries = 0; tries < 3; tries++) {
      await this.page.mouse.move(AWAY[0] + tries, AWAY[1], { steps: 3 });
      if (await disappears(hover)) return;
    }
  }

  async theme(name) {
    await this.page.emulateMedia({ colorScheme: name });
    await this.page.locator(`.monaco-workbench.vs${name === "dark" ? "-dark" : ":not(.vs-dark)"}`).waitFor();
    for (const frame of await this.#webviews()) await frame.locator(`body.vscode-${name}`).waitFor();
  }

  // --- quick input ----------------------------------------------------------------------------------------------

  /** Run a command by its full title, "Pi: …", without the dots at its end. */
  async command(title) {
    const label = this.page.locator(".label-name", { hasText: new RegExp(`^${RegExp.escape(title)}[….?]*$`, "u") });
    const row = this.page.locator(".quick-input-list .monaco-list-row").filter({ has: label }).first();
    let patience = 0; // short at first: most often it is there at once, or not at all
    await this.until(async () => {
      patience += 400;
      // A webview that is just loading swallows keys, and takes the focus from a palette that has just opened.
      await this.page.keyboard.press("F1");
      if (!(await appears(this.input, patience))) return false;
      await this.input.fill(`>${title}`, { timeout: patience });
      if (!(await appears(row, patience))) return false;
      await row.click({ timeout: patience });
      await this.page.mouse.move(...AWAY); // else what opens there next shows a tooltip
      return true;
    }, `the palette does not offer ${title}`);
  }

  /** Write into the open quick input; `enter` to be done. */
  async answer(text, { enter = false } = {}) {
    await this.input.waitFor();
    await this.input.fill(text);
    if (enter) await this.input.press("Enter");
  }

  pick(text) {
    return this.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
  }

  /** Close the quick input. */
  async escape() {
    await this.page.keyboard.press("Escape");
    await this.input.waitFor({ state: "hidden" });
  }

  // --- parts of the window --------------------------------------------------------------------------------------

  lens(text) {
    return this.page.locator(".contentWidgets .codelens-decoration a", { hasText: text }).first();
  }

  notification(text) {
    return this.page.locator(".notifications-toasts .notification-list-item", { hasText: text }).first();
  }

  /** The lines of the editor that are in sight. */
  lines(text) {
    return this.page.locator(".editor-group-container.active .monaco-editor .view-line", { hasText: text });
  }

  /** A row of the explorer, by its name. */
  file(name) {
    return this.page.locator(`.explorer-folders-view .monaco-list-row[aria-label*="${name}"]`).first();
  }

  /** A row of any tree in the side bar. */
  row(text) {
    return this.page.locator(".pane-body .monaco-list-row", { hasText: text }).first();
  }

  /** A row of the one open view, brought into sight: the others do not exist yet. */
  async reach(text) {
    const row = this.row(text);
    const list = this.page.locator(".sidebar .pane-body .monaco-list:visible").first();
    let presses = 0;
    await this.until(async () => {
      if (await row.isVisible()) return true;
      await list.focus();
      await this.page.keyboard.press(presses++ % 8 === 0 ? "Home" : "PageDown");
      return false;
    }, `no row ${text}`);
    return row;
  }

  /** Press a button that a row shows while the mouse is on it. */
  async press(row, name) {
    await row.hover();
    await row.locator(`.action-label[aria-label^="${name}"]`).click();
  }

  /** Choose from the context menu of an element. */
  async choose(element, text) {
    const item = this.page.locator(".monaco-menu .action-menu-item", { hasText: text }).first();
    await this.until(async () => {
      if (!(await item.isVisible())) await element.click({ button: "right", timeout: 5000 });
      if (!(await appears(item))) return false;
      await item.click({ timeout: 1000 }); // which a menu that has just opened does not take
      return disappears(item);
    }, `the menu does not offer ${text}`);
  }

  /** Wait until a row of the explorer has this badge, which only the style sheet says; "" for none. */
  async badge(row, wanted) {
    const read = (element) => {
      const found = [...element.querySelectorAll("*")].map((one) => getComputedStyle(one, "::after").content);
      return found.find((content) => /^".+"$/u.test(content))?.slice(1, -1) ?? "";
    };
    await this.until(async () => (await row.evaluate(read)) === wanted, `no badge ${wanted}`);
  }

  /** Open a view container of the activity bar by its name. */
  async container(name) {
    const item = this.page.locator(`.activitybar .action-item:has(a.action-label[aria-label^="${name}"])`).first();
    if (!(await item.getAttribute("class"))?.includes("checked")) await item.click();
  }

  /** Close the secondary side bar. Its command is a toggle: a palette that is slow may run it twice. */
  async closeSecondary() {
    const bar = this.page.locator(".part.auxiliarybar");
    await this.until(async () => {
      if (await bar.isHidden()) return true;
      await this.command("View: Toggle Secondary Side Bar Visibility");
      return bar.waitFor({ state: "hidden", timeout: 3000 }).then(() => true, () => false);
    }, "the secondary side bar stays open");
  }

  /** Close the other views of our container, so that this one has the room. */
  async only(view) {
    await this.until(async () => {
      let done = true;
      for (const header of await this.page.locator(".sidebar .pane-header").all()) {
        const wanted = (await header.innerText()).toLowerCase().includes(view.toLowerCase());
        if (wanted === ((await header.getAttribute("aria-expanded")) === "true")) continue;
        done = false;
        await header.locator(".title").click({ timeout: 1000 });
      }
      return done;
    }, `the view ${view} is not alone`);
  }

  /** Rest on an element until a tooltip with this text is there. */
  async tooltip(element, text) {
    const hover = this.page.locator(".monaco-hover:visible", { hasText: text }).first();
    await this.until(async () => {
      await this.page.mouse.move(900, 500);
      await element.hover({ timeout: 5000 });
      return appears(hover);
    }, `no tooltip says ${text}`);
    return hover;
  }

  // --- webviews -------------------------------------------------------------------------------------------------

  /** What stands in the webview of a part of the window. Ask again after a reload: VS Code makes frames anew. */
  async webview(part = "auxiliarybar") {
    const area = this.page.locator(`.part.${part}`);
    let found;
    await this.until(async () => {
      const place = await area.boundingBox();
      for (const frame of await this.page.locator("iframe.webview.ready:visible").all()) {
        const box = await frame.boundingBox().catch(() => null);
        if (!box || !place || !holds(place, box)) continue;
        found = inside(this.page.locator(`iframe[name="${await frame.getAttribute("name")}"]`));
        return appears(found.locator("body"));
      }
      return false;
    }, `no webview in ${part}`);
    return found;
  }

  async #webviews() {
    return (await this.page.locator("iframe.webview.ready:visible").all()).map(inside);
  }

  async close() {
    this.editor.windows.delete(this);
    await this.page.close();
  }

  /** Close all notifications. */
  async dismiss() {
    await this.command("Notifications: Clear All Notifications");
    await this.page.locator(".notifications-toasts .notification-list-item").first().waitFor({ state: "detached" });
  }

  /** Try until it works: what is clicked may move, and a frame may take the keys. */
  async until(attempt, otherwise) {
    let cause;
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await this.page.waitForTimeout(50)) {
      try {
        if (await attempt()) return;
      } catch (error) {
        cause = error;
      }
    }
    throw new Error(otherwise, { cause });
  }
}

const appears = (locator, timeout = 1500) => locator.waitFor({ timeout }).then(() => true, () => false);
const disappears = (locator) => locator.waitFor({ state: "hidden", timeout: 500 }).then(() => true, () => false);
const inside = (outer) => outer.contentFrame().locator("iframe#active-frame").contentFrame();

function holds(place, { x, y, width, height }) {
  const [left, top] = [x + width / 2 - place.x, y + height / 2 - place.y];
  return left > 0 && top > 0 && left < place.width && top < place.height;
}
