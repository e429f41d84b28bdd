/** The chat's page. It draws what the extension tells, and sends what the person does. */
import type { FromPage, ToPage } from "../../src/chat/messages";
import type { State } from "../../src/protocol/generated";
import { Announcer } from "./announcer";
import { Bar } from "./bar";
import { Composer, type Draft } from "./composer";
import { List } from "./list";
import { Notices } from "./notices";
import { Transcript } from "./transcript";

const vscode = acquireVsCodeApi<{ draft: Draft }>();
const post = (message: FromPage): void => { vscode.postMessage(message); };

const transcript = new Transcript();
const list = new List(transcript, {
  copy: (text) => { post({ type: "copy", text }); },
  resend: (entryId) => { post({ type: "resend", entryId }); },
  openEntry: (entryId) => { post({ type: "openEntry", entryId }); },
  openFile: (path) => { post({ type: "openFile", path }); },
  openLink: (link) => { post({ type: "openLink", link }); },
  earlier: () => { post({ type: "earlier" }); },
  command: (name) => { post({ type: "command", name }); },
  leave: () => { composer.focus(); },
});
const notices = new Notices(post);
const bar = new Bar(post);
const say = (message: FromPage): void => {
  if (message.type === "send") list.toEnd();
  post(message);
};
const composer = new Composer(
  { post: say, changed: (draft) => { vscode.setState({ draft }); }, refused: (why) => { notices.fail(why); } },
  bar.element,
);
const announcer = new Announcer();

function show(state: State): void {
  bar.show(state);
  notices.showQueue(state.queue);
  composer.setRunning(state.phase !== "idle");
}

function heard(message: ToPage): void {
  switch (message.type) {
    case "reset":
      transcript.reset(message.entries, message.state.running?.message);
      list.clear(message.more);
      notices.clear();
      show(message.state);
      return;
    case "down":
      transcript.stop();
      list.update();
      notices.down(message.status);
      composer.setRunning(false);
      return;
    case "entries":
      for (const entry of message.entries) transcript.add(entry);
      list.update();
      return;
    case "earlier":
      transcript.prepend(message.entries);
      list.prepended(message.more);
      return;
    case "event":
      transcript.happened(message.event);
      notices.happened(message.event);
      announcer.happened(message.event);
      if (message.event.type === "agent_start") composer.setRunning(true);
      if (message.event.type === "agent_end") composer.setRunning(false);
      list.update();
      return;
    case "state":
      show(message.state);
      return;
    case "draft":
      composer.put(message.text);
      composer.focus();
      return;
    case "unsent":
      composer.put(message.text, message);
      composer.focus();
      return;
    case "attach":
      composer.put("", { attachments: [message.attachment], images: [] });
      composer.focus();
      return;
    case "completions":
      composer.offer(message.query, message.items);
      return;
    case "problem":
      notices.fail(message.text);
      return;
    case "offer":
      notices.offer(message.text, message.uris);
      return;
    case "focus":
      composer.focus();
  }
}

document.body.append(list.element, notices.element, composer.element, announcer.element);
window.addEventListener("message", (event: MessageEvent<ToPage>) => { heard(event.data); });
window.addEventListener("focus", () => { if (document.activeElement === document.body) composer.focus(); });
const kept = vscode.getState()?.draft;
if (kept) composer.put(kept.text, { attachments: kept.attachments, images: [] });
composer.setRunning(false);
post({ type: "ready" });
