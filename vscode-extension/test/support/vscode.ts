/** As much of VS Code as the pure parts touch. */
import path from "node:path";

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
  ) {}
  static file(file: string): Uri {
    return new Uri("file", file);
  }
  static parse(text: string): Uri {
    const { protocol, pathname } = new URL(text);
    return new Uri(protocol.slice(0, -1), decodeURIComponent(pathname));
  }
  static joinPath(base: Uri, ...parts: string[]): Uri {
    return new Uri(base.scheme, path.posix.join(base.path, ...parts));
  }
  toString(): string {
    return `${this.scheme}://${this.path}`;
  }
}
