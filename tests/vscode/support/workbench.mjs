// One window of VS Code, as a person uses it.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { PROJECT } from "./tools.mjs";

const SHOTS = process.env.SHOTS ?? path.join(PROJECT, ".cache", "vscode", "shots");
const LONG = 60_000;

export class Workbench {
  constructor(page, editor) {
    this.page = page;
    this.editor = editor;
    this.foreign = new Set();
    page.setDefaultTimeout(15_000);
    page.on("request", (request) => {
      const url = new URL(request.url());
      // Webviews name their resources by this host; the service worker answers, nothing goes out.
      const own = url.hostname === "127.0.0.1" || url.hostname.endsWith(".vscode-resource.vscode-cdn.net");
      if (!own && !["blob:", "data:"].includes(url.protocol)) this.foreign.add(url.href.slice(0, 200));
    });
  }

  async load(folder) {
    const query = folder ? `?folder=${encodeURI(folder)}` : "?ew=true";
    await this.page.goto(`http://127.0.0.1:${this.editor.port}/${query}`);
    await this.page.locator(".monaco-workbench").waitFor({ timeout: LONG });
    await this.page.locator(".statusbar-item").first().waitFor({ timeout: LONG });
  }

  /** Our status item, once it says this. */
  async status(text) {
    await this.page.locator('.statusbar-item[id*="piLsp"]', { hasText: text }).first().waitFor({ timeout: 2 * LONG });
  }

  async shot(name) {
    mkdirSync(SHOTS, { recursive: true });
    await this.page.screenshot({ path: path.join(SHOTS, `${name}.png`) });
  }

  /** The same place in dark and in light; `again` brings back what goes away when the theme changes. */
  async shots(name, again = async () => {}) {
    for (const theme of ["light", "dark"]) {
      this.editor.profile.theme(theme);
      await this.page.locator(`.monaco-workbench.vs${theme === "dark" ? "-dark" : ":not(.vs-dark)"}`).waitFor();
      await this.page.waitForTimeout(400);
      await this.page.mouse.move(660, 6);
      await again();
      await this.shot(`${name}-${theme}`);
    }
  }

  /** Run a command by its full title, "Pi: …". */
  async command(title) {
    const input = this.page.locator(".quick-input-widget .quick-input-box input");
    const isOpen = () => input.waitFor({ state: "visible", timeout: 1000 }).then(() => true, () => false);
    // A webview that is just loading swallows keys.
    for (let tries = 0; tries === 0 || (!(await isOpen()) && tries < 10); tries++) await this.page.keyboard.press("F1");
    await input.fill(`>${title}`);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().click();
  }

  async answer(text) {
    const input = this.page.locator(".quick-input-widget .quick-input-box input");
    await input.waitFor({ state: "visible" });
    await input.fill(text);
  }

  pick(text) {
    return this.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
  }

  lens(text) {
    return this.page.locator(".contentWidgets .codelens-decoration a", { hasText: text }).first();
  }

  notification(text) {
    return this.page.locator(".notifications-toasts .notification-list-item", { hasText: text }).first();
  }

  /** A row of the explorer, by its name. */
  file(name) {
    return this.page.locator(`.explorer-folders-view .monaco-list-row[aria-label*="${name}"]`).first();
  }

  /** Wait until a row of the explorer has this badge, which only the style sheet says; "" for none. */
  async badge(row, wanted) {
    const read = (element) => {
      const found = [...element.querySelectorAll("*")].map((one) => getComputedStyle(one, "::after").content);
      return found.find((content) => /^".+"$/u.test(content))?.slice(1, -1) ?? "";
    };
    for (let tries = 0; tries < 60; tries++) {
      if ((await row.evaluate(read)) === wanted) return;
      await this.page.waitForTimeout(100);
    }
    throw new Error(`the badge is ${await row.evaluate(read)}, not ${wanted}`);
  }

  /** Open a view container of the activity bar by its name. */
  async container(name) {
    const item = this.page.locator(`.activitybar .action-item:has(a.action-label[aria-label^="${name}"])`).first();
    if (!(await item.getAttribute("class"))?.includes("checked")) await item.click();
  }

  /** Close the other views of our container, so that this one has the room. */
  async only(view) {
    for (const header of await this.page.locator(".sidebar .pane-header").all()) {
      const other = !(await header.innerText()).includes(view);
      if (other === ((await header.getAttribute("aria-expanded")) === "true")) await header.locator(".title").click();
    }
  }

  /** A row of any tree in the side bar. */
  row(text) {
    return this.page.locator(".pane-body .monaco-list-row", { hasText: text }).first();
  }

  /** Rest on an element until a tooltip with this text is there. */
  async tooltip(locator, text) {
    const hover = this.page.locator(".monaco-hover:visible", { hasText: text }).first();
    for (let tries = 0; tries < 10; tries++) {
      await this.page.mouse.move(900, 500);
      await locator.hover();
      if (await hover.waitFor({ timeout: 1500 }).then(() => true, () => false)) return hover;
    }
    throw new Error(`no tooltip says ${text}`);
  }

  /** What stands in the webview that is in sight; found anew at each use, since VS Code makes frames anew. */
  webview() {
    const outer = this.page.locator("iframe.webview.ready:visible").first().contentFrame();
    return outer.locator("iframe#active-frame").contentFrame();
  }

  async close() {
    await this.page.context().close();
  }
}
