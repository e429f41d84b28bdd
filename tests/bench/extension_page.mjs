// extension_page.mjs EXTENSION CHROMIUM: the chat's page as it is shipped, in a plain Chromium; its figures as JSON.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [extension, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(path.join(extension, "package.json"))("playwright-core");
const script = readFileSync(path.join(extension, "dist", "chat.js"), "utf8");
const style = readFileSync(path.join(extension, "dist", "chat.css"), "utf8");

const ROUNDS = 5;
const MESSAGES = 2000;
const ANSWERS = 50;
const DELTAS = 200; // of each answer
const EARLY = 2000;
const TEXT = "Half-open intervals compare like this, see `bookings.py`:\n\n```python\ndef overlaps(a, b):\n    return a.arrival < b.departure\n```\n\n1. **Arrival** belongs to the stay.\n2. Departure does not.\n";

const entries = Array.from({ length: MESSAGES }, (_, index) => ({
  type: "message",
  id: `e${index}`,
  message: index % 2 ? { role: "assistant", content: [{ type: "text", text: `${index}: ${TEXT}` }] } : { role: "user", content: `Question ${index}?` },
}));

const state = {
  session: { id: "bench", cwd: "/", entries: MESSAGES, leafId: entries.at(-1).id },
  phase: "idle",
  thinkingLevel: "off",
  context: { tokens: null, window: 200_000, percent: null, source: "estimated" },
  cost: { total: 0 },
  queue: { steer: [], followUp: [] },
};

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

async function open(code) {
  const page = await browser.newPage({ viewport: { width: 400, height: 800 } });
  await page.setContent(`<!DOCTYPE html><html><body><style>${style}</style></body></html>`);
  await page.evaluate(() => {
    globalThis.acquireVsCodeApi = () => ({ postMessage() {}, getState() {}, setState() {} });
    /** Resolves when what was changed before is on the screen: behind the frame that shows it. */
    globalThis.painted = () => new Promise((resolve) => requestAnimationFrame(() => afterFrame(resolve)));
    globalThis.afterFrame = (resolve) => {
      const channel = new MessageChannel();
      channel.port1.onmessage = resolve;
      channel.port2.postMessage(0);
    };
  });
  if (code) await page.addScriptTag({ content: code });
  return page;
}

/** From the message with all of them until the newest stands on the screen, in ms. */
async function paints() {
  const page = await open(script);
  const taken = await page.evaluate(async ({ all, state }) => {
    await painted();
    const last = `[data-id="${all.at(-1).id}"]`;
    const shown = new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector(last)) return;
        observer.disconnect();
        afterFrame(resolve);
      }).observe(document.body, { childList: true, subtree: true });
    });
    const started = performance.now();
    window.postMessage({ type: "reset", state, entries: all, more: false });
    await shown;
    return performance.now() - started;
  }, { all: entries, state });
  await page.close();
  return taken;
}

/** The same texts as they are, one paragraph each: what the browser alone takes. */
async function plain() {
  const page = await open("");
  const taken = await page.evaluate(async (texts) => {
    await painted();
    const started = performance.now();
    const list = document.createElement("div");
    for (const text of texts) list.append(Object.assign(document.createElement("p"), { textContent: text }));
    document.body.append(list);
    list.scrollIntoView(false);
    await painted();
    return performance.now() - started;
  }, entries.map(({ message }) => (typeof message.content === "string" ? message.content : message.content[0].text)));
  await page.close();
  return taken;
}

/** Megabytes of the heap after a collection. */
async function heap(session) {
  for (let times = 0; times < 3; times++) await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
}

/** The heap after 2,000 deltas and after 10,000, of answers that are stored one after the other. */
async function memory() {
  const page = await open(script);
  const session = await page.context().newCDPSession(page);
  const figures = [];
  for (let answer = 0; answer < ANSWERS; answer++) {
    await page.evaluate(async ({ answer, deltas }) => {
      const happen = (event) => window.postMessage({ type: "event", event });
      happen({ type: "message_start", role: "assistant" });
      for (let index = 0; index < deltas; index++) {
        happen({ type: "message_delta", block: 0, kind: "text", delta: `word ${index} ` });
        if (index % 20 === 0) await painted();
      }
      const text = Array.from({ length: deltas }, (_, index) => `word ${index} `).join("");
      happen({ type: "message_end", entryId: `a${answer}`, message: { role: "assistant", content: [{ type: "text", text }] } });
      while (!document.querySelector(`[data-id="a${answer}"]`)) await painted();
    }, { answer, deltas: DELTAS });
    const told = (answer + 1) * DELTAS;
    if (told === EARLY || told === ANSWERS * DELTAS) figures.push(await heap(session));
  }
  await page.close();
  return figures;
}

const best = async (measure) => {
  const taken = [];
  for (let round = 0; round < ROUNDS; round++) taken.push(await measure());
  return Math.min(...taken);
};
const figures = { paint: await best(paints), plain: await best(plain), heap: await memory() };
await browser.close();
console.log(JSON.stringify(figures));
