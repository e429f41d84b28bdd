/** What goes along with the next message: pieces of files and images, as chips over the text field. */
import type { Attachment, Enclosed } from "../../src/chat/messages";
import type { Image } from "../../src/protocol/generated";
import { h, icon, iconButton } from "../base/dom";

/** In base64 it is the 10 MiB that the server takes. */
const IMAGE_BYTES = 7.5 * 1024 * 1024;
const IMAGES = /^image\/(?:png|jpeg|gif|webp)$/u;

interface Doing {
  /** It is another set now. */
  changed: () => void;
  /** Something is not taken; the sentence says what and why. */
  refused: (why: string) => void;
  /** Files of the editor were dropped. */
  dropped: (uris: string[]) => void;
}

export class Enclosures {
  readonly element = h("div.chips", { role: "list", "aria-label": "Sent along", hidden: true });
  private attachments: Attachment[] = [];
  private images: Image[] = [];

  constructor(private readonly doing: Doing) {}

  get isEmpty(): boolean {
    return this.attachments.length + this.images.length === 0;
  }

  get all(): Enclosed {
    return { attachments: [...this.attachments], images: [...this.images] };
  }

  /** Take all of it out. */
  empty(): void {
    [this.attachments, this.images] = [[], []];
    this.paint();
  }

  add({ attachments, images }: Enclosed): void {
    for (const one of attachments) if (!this.attachments.some(({ label }) => label === one.label)) this.attachments.push(one);
    this.images.push(...images);
    this.paint();
  }

  /** Take what was pasted or dropped; whether there was something for us. */
  take(data: DataTransfer | null): boolean {
    const files = [...(data?.files ?? [])];
    const images = files.filter(({ type }) => type.startsWith("image/"));
    for (const file of images) void this.takeImage(file);
    const uris = urisOf(data);
    if (images.length === 0 && uris.length > 0) this.doing.dropped(uris);
    else if (images.length === 0 && files.length > 0) this.doing.refused("Only images can be taken from outside. Drop files from the explorer with Shift held, or write @ and their name.");
    return images.length + uris.length + files.length > 0;
  }

  private async takeImage(file: File): Promise<void> {
    const name = file.name || "The image";
    if (!IMAGES.test(file.type)) this.doing.refused(`${name} is of a kind that models do not take: only PNG, JPEG, GIF and WebP are.`);
    else if (file.size > IMAGE_BYTES) this.doing.refused(`${name} is larger than ${IMAGE_BYTES / 1024 / 1024} MB, the most that is taken.`);
    else {
      const data = await base64(file).catch(() => "");
      if (data) this.add({ attachments: [], images: [{ data, mimeType: file.type }] });
      else this.doing.refused(`${name} cannot be read.`);
    }
  }

  private paint(): void {
    this.element.replaceChildren(
      ...this.attachments.map((one) => this.chip(one.label, icon("file-code"), () => { this.attachments = this.attachments.filter((other) => other !== one); })),
      ...this.images.map((one, index) => this.chip(`Image ${index + 1}`, thumbnail(one), () => { this.images = this.images.filter((other) => other !== one); })),
    );
    this.element.hidden = this.isEmpty;
    this.doing.changed();
  }

  private chip(label: string, symbol: HTMLElement, remove: () => void): HTMLElement {
    const close = iconButton("close", `Remove ${label}`, () => { remove(); this.paint(); });
    return h("span.chip", { role: "listitem" }, symbol, " ", h("span", { dir: "auto" }, label), close);
  }
}

const thumbnail = ({ data, mimeType }: Image): HTMLElement => h("img.thumbnail", { src: `data:${mimeType};base64,${data}`, alt: "" });

/** Files of the editor's explorer and tabs, by what VS Code puts on a drag. */
function urisOf(data: DataTransfer | null): string[] {
  const lists = ["application/vnd.code.uri-list", "text/uri-list"].map((type) => data?.getData(type) ?? "");
  const uris = lists.find(Boolean)?.split(/[\r\n]+/u) ?? [];
  return uris.filter((uri) => uri.startsWith("file://"));
}

async function base64(file: File): Promise<string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => { resolve(typeof reader.result === "string" ? reader.result : ""); };
    reader.onerror = () => { reject(new Error("the image cannot be read")); };
    reader.readAsDataURL(file);
  });
  return url.slice(url.indexOf(",") + 1);
}
