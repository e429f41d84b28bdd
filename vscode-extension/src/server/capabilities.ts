import type { ClientCapabilities, InitializeResult, StaticFeature } from "vscode-languageclient/node";
import type { PiCapability } from "../protocol/methods";

/** Says to the server that we know the pi/ methods. */
export class PiFeature implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const pi = { events: true, approvals: true, save: true, editorContext: true };
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), pi };
  }

  getState(): { kind: "static" } {
    return { kind: "static" };
  }

  initialize(): void {
    // what the server says is read by `piCapability`
  }

  clear(): void {
    // nothing is kept
  }
}

/** What the server said of itself; null where it is not one of ours. */
export function piCapability(result: InitializeResult | undefined): PiCapability | null {
  const experimental: unknown = result?.capabilities.experimental;
  if (typeof experimental !== "object" || experimental === null || !("pi" in experimental)) return null;
  const { pi } = experimental;
  if (typeof pi !== "object" || pi === null || !("version" in pi) || typeof pi.version !== "number") return null;
  const methods = "methods" in pi && Array.isArray(pi.methods) ? pi.methods : [];
  return { version: pi.version, methods: methods.filter((name) => typeof name === "string") };
}
