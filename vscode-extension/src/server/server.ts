/** The language server of this window: started, restarted, asked and listened to. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { tellWarning } from "../base/tell";
import { PROTOCOL_VERSION, type Happened, type Method, type Params, type PiCapability, type Result } from "../protocol/methods";
import { piCapability } from "./capabilities";
import type { Answer } from "./connection";
import { Coalesced } from "./coalesced";
import { CrashError, Crashes } from "./crashes";
import { LastSession } from "./lastSession";
import { type Command, removeBroken, serverCommand } from "./launch";
import { differs } from "./versions";

/** So long a request waits for a server that is starting. */
const PATIENCE_MS = 30_000;

export type Status = "starting" | "ready" | "stopped" | "failed";

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private capability: PiCapability | null = null;
  private readonly answers = new Map<string, Answer>();
  private readonly crashes = new Crashes();
  private readonly last: LastSession;
  private readonly restarting = new Coalesced(() => this.startAgain());
  private readonly statusChanged = new vscode.EventEmitter<Status>();
  private readonly happened = new vscode.EventEmitter<Happened>();
  private readonly failed = new vscode.EventEmitter<unknown>();

  readonly onStatus = this.statusChanged.event;
  readonly onEvent = this.happened.event;
  /** The server could not be started, or died once too often. */
  readonly onFailure = this.failed.event;
  status: Status = "stopped";

  constructor(
    private readonly context: vscode.ExtensionContext,
    readonly log: vscode.LogOutputChannel,
  ) {
    this.last = new LastSession(context.workspaceState);
  }

  /** Answer a request of the server's; before `restart`. */
  answer(method: string, answer: Answer): void {
    this.answers.set(method, answer);
  }

  /** Start, or end and start again. Never rejects: what goes wrong is told by `onFailure`. */
  restart(): Promise<void> {
    return this.restarting.run();
  }

  supports(method: Method): boolean {
    return this.status === "ready" && (this.capability?.methods.includes(method) ?? false);
  }

  /** Ask the server, once it has started. Rejects where it refuses (`reasonOf`), has gone (`isLost`), or is not running. */
  async request<M extends Method>(method: M, params: Params<M>, token?: vscode.CancellationToken): Promise<Result<M>> {
    if (this.status === "starting") await this.started();
    if (this.status === "starting") throw new Error("The Pi server is still starting. Try again in a moment.");
    if (!this.client || this.status !== "ready") throw new Error("The Pi server is not running.");
    // An undefined token would be sent as a second parameter.
    return this.client.sendRequest<Result<M>>(method, params, ...(token ? [token] : []));
  }

  /** Of its process; undefined while there is none. */
  get pid(): number | undefined {
    return this.client?.serverProcess?.pid;
  }

  dispose(): void {
    void this.stop();
    this.statusChanged.dispose();
    this.happened.dispose();
    this.failed.dispose();
  }

  private async startAgain(): Promise<void> {
    this.become("starting");
    await this.stop();
    try {
      const command = await serverCommand(this.context, this.log);
      const options = this.initializationOptions(await this.last.recall());
      const client = await this.connect(command, options).catch(async (error: unknown) => {
        if (!(await removeBroken(command))) throw error;
        this.log.warn(`The server's environment is broken, and is made anew: ${String(error)}`);
        return this.connect(await serverCommand(this.context, this.log), options);
      });
      this.capability = piCapability(client.initializeResult);
      this.checkVersions(client);
      this.become("ready");
      void this.remember();
    } catch (error) {
      this.log.error(String(error));
      this.become("failed");
      this.failed.fire(error);
    }
  }

  private async connect(command: Command, initializationOptions: object): Promise<LanguageClient> {
    // The protocol's library is large: loaded here, it does not hold up the start of the editor.
    const { connect } = await import("./connection.js");
    const client = connect(command, {
      log: this.log,
      initializationOptions,
      answers: this.answers,
      happened: (event) => { if (client === this.client) this.happens(event); },
      closed: () => { this.died(client); },
    });
    this.client = client;
    await client.start();
    return client;
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.capability = null;
    if (!client) return;
    await client.dispose().catch((error: unknown) => {
      this.log.warn(`The server did not end as asked: ${String(error)}`);
    });
  }

  /** Settles when the start is over, or after a while. */
  private started(): Promise<void> {
    return new Promise((resolve) => {
      const over = (): void => {
        clearTimeout(timer);
        listener.dispose();
        resolve();
      };
      const timer = setTimeout(over, PATIENCE_MS);
      const listener = this.onStatus(over);
    });
  }

  private initializationOptions(file: string | undefined): object {
    // Where VS Code trusts the folder, Pi's own trust decides, as in the terminal.
    return { ...(file && { session: { file } }), ...(!vscode.workspace.isTrusted && { trusted: false }) };
  }

  private happens(event: Happened): void {
    this.happened.fire(event);
    if (event.type === "session_changed" || event.type === "turn_start" || event.type === "agent_end") void this.remember();
  }

  private async remember(): Promise<void> {
    const { pid } = this;
    const state = await this.request("pi/state", {}).catch(() => undefined);
    if (state) await this.last.remember(state, pid);
  }

  private died(client: LanguageClient): void {
    if (client !== this.client || this.status !== "ready") return; // it was asked to end, or its start says why
    this.client = undefined;
    this.become("stopped");
    const restarts = this.crashes.mayRestart(Date.now());
    if (restarts) void this.restart();
    this.failed.fire(new CrashError(restarts));
  }

  private checkVersions(client: LanguageClient): void {
    if (this.capability?.version !== PROTOCOL_VERSION) {
      throw new Error("The server does not speak this extension's protocol; install the version that comes with it.");
    }
    const ours = (this.context.extension.packageJSON as { version: string }).version;
    const theirs = client.initializeResult?.serverInfo?.version ?? "";
    this.log.info(`Extension ${ours}, server ${theirs}`);
    if (differs(ours, theirs)) {
      void tellWarning(`Pi: the server is version ${theirs}, the extension ${ours}. Some things may not work.`);
    }
  }

  private become(status: Status): void {
    if (status === this.status) return;
    this.status = status;
    this.statusChanged.fire(status);
  }
}
