/** What the extension and the chat's page say to each other. */
import type { Image, Queue, Reference, State } from "../protocol/generated";
import type { PiEvent } from "../protocol/methods";
import type { Status } from "../server/server";

/** An entry as it is stored. */
export type StoredEntry = Record<string, unknown>;

/** A piece of a file that goes along with a message. */
export interface Attachment extends Reference {
  label: string;
}

export interface Completion {
  label: string;
  detail: string;
  insert: string;
  /** A file that is attached where this is chosen. */
  attachment?: Attachment;
}

/** What goes along with a message. */
export interface Enclosed {
  images: Image[];
  attachments: Attachment[];
}

/** Both wait for an answer that is running, and go out at once where there is none. */
export type Mode = "steer" | "followUp";

export type ToPage =
  /** `more`: there are earlier entries, which the page may ask for. */
  | { type: "reset"; state: State; entries: StoredEntry[]; more: boolean }
  /** There is no server now; what is drawn stays. */
  | { type: "down"; status: Exclude<Status, "ready"> }
  | { type: "entries"; entries: StoredEntry[] }
  | { type: "earlier"; entries: StoredEntry[]; more: boolean }
  | { type: "event"; event: PiEvent }
  | { type: "state"; state: State }
  | { type: "draft"; text: string }
  /** It could not be sent, and stands in the field again. */
  | ({ type: "unsent"; text: string } & Enclosed)
  | { type: "attach"; attachment: Attachment }
  | { type: "completions"; query: string; items: Completion[] }
  | { type: "problem"; text: string }
  | { type: "offer"; text: string; uris: string[] }
  | { type: "focus" };

export type FromPage =
  | { type: "ready" }
  | ({ type: "send"; text: string; mode: Mode } & Enclosed)
  | { type: "abort" }
  /** The images that stand beside the text: the page cannot keep them while it is hidden. */
  | { type: "images"; images: Image[] }
  | { type: "queue"; queue: Queue }
  | { type: "complete"; query: string }
  | { type: "openEntry"; entryId: string }
  | { type: "openFile"; path: string }
  /** A link of an answer to a file: see `links.ts`. */
  | { type: "openLink"; link: string }
  | { type: "drop"; uris: string[] }
  | { type: "earlier" }
  | { type: "loadRules"; uris: string[] }
  | { type: "copy"; text: string }
  | { type: "resend"; entryId: string }
  | { type: "command"; name: PageCommand };

/** The commands that the page may start. */
export const PAGE_COMMANDS = [
  "abort", "chooseModel", "chooseThinking", "compact", "newSession", "openSession", "restart", "setApiKey", "showContext", "showLog",
] as const;
export type PageCommand = (typeof PAGE_COMMANDS)[number];
