// Generated from protocol/schema.json by `npm run types`. Do not edit.

/**
 * The texts that were not delivered.
 */
export interface AbortResult {
  queue: Queue;
}

/**
 * The run is over.
 */
export interface AgentEnd {
  type: "agent_end";
  stopReason: "cancelled" | "done" | "error" | "maxTurns";
}

/**
 * A run begins.
 */
export interface AgentStart {
  type: "agent_start";
}

/**
 * Every rule file in and above the workspace folders, parents before children.
 *
 * `problems`: where none were looked for, because of a limit.
 */
export interface AllRules {
  files: RuleFile[];
  problems?: string[];
}

/**
 * An API key for this process alone: it is never written. An empty one takes it back.
 */
export interface AuthParams {
  provider: string;
  apiKey: string;
}

/**
 * The result of `pi/auth/set`: nothing.
 */
export interface AuthResult {}

/**
 * It was, or it was not.
 */
export interface BranchSummaryEnd {
  type: "branch_summary_end";
  error?: string | null;
  cancelled?: boolean;
}

/**
 * The branch that is left is being summarised.
 */
export interface BranchSummaryStart {
  type: "branch_summary_start";
}

/**
 * What the user says. `steer` and `followUp` wait for a run that goes on, and are prompts where none does.
 */
export interface ChatParams {
  text: string;
  images?: Image[];
  references?: Reference[];
  mode?: "followUp" | "prompt" | "steer";
}

/**
 * How the run ended, and the leaf it left. `queue`: what was to be said in it and was not.
 */
export interface ChatResult {
  stopReason: "cancelled" | "done" | "error" | "maxTurns" | "queued";
  leafId?: string | null;
  usage?: Usage | null;
  error?: string | null;
  queue?: Queue | null;
}

/**
 * `instructions`: what the summary should mind; `summarizer`: who writes it.
 */
export interface CompactParams {
  workDoneToken?: number | string | null;
  instructions?: string | null;
  summarizer?: "local" | "model";
}

/**
 * What was done; where it was cancelled, only that. `error`: why the summary is local though a model was to write
 * it. Sizes are tokens of the whole context; `usage` is what the model has billed.
 */
export interface CompactResult {
  stopReason: "cancelled" | "done";
  entryId?: string | null;
  summary?: string | null;
  firstKeptEntryId?: string | null;
  tokensBefore?: number | null;
  tokensAfter?: number | null;
  summarizer?: "hook" | "local" | "model" | null;
  usage?: Record<string, unknown> | null;
  error?: string | null;
}

/**
 * A compaction is over: with an entry, or with the reason why there is none.
 */
export interface CompactionEnd {
  type: "compaction_end";
  reason: "manual" | "overflow" | "threshold";
  entryId?: string | null;
  tokensBefore?: number | null;
  tokensAfter?: number | null;
  summarizer?: string | null;
  error?: string | null;
  cancelled?: boolean;
}

/**
 * Which entries a summary would replace and which stay; entries that hold no message are left out.
 */
export interface CompactionPreview {
  firstKeptEntryId: string;
  splitTurn: boolean;
  summarized: EntryRef[];
  turnPrefix: EntryRef[];
  kept: EntryRef[];
  tokensBefore: number;
  tokensAfter: number;
  readFiles: string[];
  modifiedFiles: string[];
  localSummary: string;
}

/**
 * A compaction begins.
 */
export interface CompactionStart {
  type: "compaction_start";
  reason: "manual" | "overflow" | "threshold";
}

/**
 * The next request, in the order in which the model reads it. All numbers are tokens.
 *
 * Every piece is counted by itself, so its number is an estimate. `total` is what all meters show: where `source` is
 * `measured`, what the provider billed up to the last answer and an estimate of what came after; else the estimate
 * of the prompt and the stored messages. So the pieces add up to about `total`, not to exactly that. `doubt` says
 * why a usage that the provider reported is not believed.
 *
 * The model may see `window` tokens; compaction keeps `reserve` of them free and about `keep_recent` as they are.
 */
export interface Context {
  sections: ContextSection[];
  tools: ContextTool[];
  messages: ContextMessage[];
  total: number;
  window: number;
  reserve: number;
  keepRecent: number;
  source: "estimated" | "measured";
  doubt?: string | null;
  request?: Record<string, unknown> | null;
}

/**
 * How full the model's window is; null where nobody knows.
 */
export interface ContextChanged {
  type: "context";
  tokens: number | null;
  percent: number | null;
  source: "estimated" | "measured";
}

/**
 * A message as it would be sent. `added`: no entry holds it, it was put in for the one of `entry_id`.
 */
export interface ContextMessage {
  entryId: string;
  role: string;
  tokens: number;
  preview: string;
  added?: boolean;
}

/**
 * `leaf_id`: the entry to look from, by default the window's leaf; `full`: with the request itself.
 */
export interface ContextParams {
  leafId?: string | null;
  full?: boolean;
}

/**
 * A section of the system prompt; each rule file is one, named `project_context`.
 *
 * `uri` is the file it was made of, `entry_id` the entry that stores the very same text.
 */
export interface ContextSection {
  name: string;
  tokens: number;
  uri?: string | null;
  entryId?: string | null;
}

/**
 * How full the window is. `tokens` is null where nobody knows (after a compaction, until an answer).
 */
export interface ContextState {
  tokens: number | null;
  window: number;
  percent: number | null;
  source: "estimated" | "measured";
}

/**
 * A tool that the model is offered, and the entry that stores its declaration.
 */
export interface ContextTool {
  name: string;
  tokens: number;
  entryId?: string | null;
}

/**
 * US dollars.
 */
export interface Cost {
  total: number;
}

/**
 * The path or URI of a session file.
 */
export interface DeleteParams {
  file: string;
}

/**
 * The result of `pi/session/delete`: nothing.
 */
export interface DeleteResult {}

/**
 * Whole entries as stored, the older first. `next` is the id to go on `after`, or `before` on the way back.
 */
export interface Entries {
  entries: (Record<string, unknown>)[];
  next?: string | null;
}

/**
 * One of: `ids`; those `after` an entry; those `before` one; the `newest`; by default those from the first on.
 *
 * The order is that of the file, or of the path with `on_path`. At most `limit` come, of `before` and `newest` the
 * last ones.
 */
export interface EntriesParams {
  ids?: string[] | null;
  after?: string | null;
  before?: string | null;
  newest?: boolean;
  limit?: number;
  onPath?: boolean;
}

/**
 * An entry is in the file, written by whomever, behind `parent_id`. `leaf_id` is the window's leaf now.
 */
export interface EntryAppended {
  type: "entry_appended";
  entry: EntryRef;
  parentId: string | null;
  leafId: string | null;
}

/**
 * An entry in one line. `tokens` is what it weighs in the context by the window's counter.
 */
export interface EntryRef {
  entryId: string;
  type: string;
  role?: string | null;
  preview: string;
  tokens: number;
}

/**
 * The params of `pi/event`. `seq` grows by one with each.
 */
export interface EventParams {
  sessionId: string;
  seq: number;
  event: AgentStart | TurnStart | MessageStart | MessageDelta | MessageEnd | TurnEnd | AgentEnd | QueueChanged | CompactionStart | CompactionEnd | BranchSummaryStart | BranchSummaryEnd | RetryScheduled | RetryAttemptStart | RetryFinished | EntryAppended | ForeignAppend | ResourcesChanged | RulesOffered | Warned | HookFailed | ContextChanged | SessionChangedEvent;
}

/**
 * One entry, or everything whose text contains `query` in any case; with both, the query in that entry.
 */
export interface ExplainParams {
  entryId?: string | null;
  query?: string | null;
  limit?: number;
}

/**
 * What holds the text: what is absent first, then what is changed, then what is sent, each newest first.
 *
 * `more`: the limit cut the list. `in_request`: whether the next request holds the text at all, wherever; only where
 * one was asked for.
 */
export interface Explanation {
  hits: Hit[];
  more?: boolean;
  inRequest?: boolean | null;
}

/**
 * Another program wrote into the session.
 */
export interface ForeignAppend {
  type: "foreign_append";
  count: number;
  leafMoved: boolean;
}

/**
 * The user's message that shall be said anew, in a session of its own.
 */
export interface ForkParams {
  entryId: string;
}

/**
 * An entry of the session or a file, and whether the next request holds it.
 *
 * `detail` says why, for a person. `by` is what did it: the id of an entry, or the URI of a file. `range` is the line
 * of the file. `preview` is one line: of the text around what was looked for, else of the entry.
 */
export interface Hit {
  entryId?: string | null;
  uri?: string | null;
  range?: Range | null;
  fate: "absent" | "changed" | "sent";
  stage?: "compaction" | "contextEdit" | "convert" | "hook" | "path" | "repair" | "rule" | "skill" | "truncation" | null;
  by?: string | null;
  detail: string;
  preview: string;
  restore?: Restore | null;
}

/**
 * A hook raised, took too long or made no sense; the work goes on without it. No `hook`: the whole plugin.
 */
export interface HookFailed {
  type: "hook_failed";
  plugin: string;
  error: string;
  hook?: string | null;
}

/**
 * An image of the user; `data` is base64.
 */
export interface Image {
  data: string;
  mimeType: string;
}

/**
 * `label`: null takes it away.
 */
export interface LabelParams {
  entryId: string;
  label: string | null;
}

/**
 * The result of `pi/tree/label`: nothing.
 */
export interface LabelResult {}

/**
 * `all`: of every working directory; `query`: words that stand in name, first message, folder or id.
 */
export interface ListParams {
  all?: boolean;
  query?: string | null;
  limit?: number;
  cursor?: string | null;
}

/**
 * A model; sizes in tokens. `available`: there is a key for its provider.
 */
export interface ListedModel {
  provider: string;
  id: string;
  name: string;
  contextWindow: number;
  maxTokens: number;
  thinkingLevels: string[];
  available: boolean;
}

/**
 * A session. What is not known without reading the whole file is left out.
 */
export interface ListedSession {
  id: string;
  file: string;
  name?: string | null;
  cwd: string;
  firstMessage?: string | null;
  modified: string;
  entries?: number | null;
  bytes: number;
  current: boolean;
  openElsewhere: boolean;
  continuedIn?: string | null;
}

/**
 * Rule files.
 */
export interface LoadParams {
  uris: string[];
}

/**
 * The files that were appended, and the messages; what the session has already is left out.
 */
export interface LoadResult {
  uris: string[];
  entryIds: string[];
}

/**
 * More of a block of the message, by its index.
 */
export interface MessageDelta {
  type: "message_delta";
  block: number;
  kind: "text" | "thinking" | "toolArguments";
  delta: string;
}

/**
 * The whole message as it is stored, and the entry that holds it.
 */
export interface MessageEnd {
  type: "message_end";
  message: Record<string, unknown>;
  entryId?: string | null;
}

/**
 * A message begins; deltas may follow.
 */
export interface MessageStart {
  type: "message_start";
  role: string;
}

/**
 * All models. `problems`: what of Pi's `models.json` is not used, and why.
 */
export interface ModelList {
  models: ListedModel[];
  problems?: string[];
}

/**
 * A model by its id; of several providers that have it, Anthropic's or the first.
 */
export interface ModelParams {
  provider?: string | null;
  id: string;
}

/**
 * The model of the next request; `context_window` in tokens.
 */
export interface ModelState {
  provider: string;
  id: string;
  name?: string | null;
  contextWindow: number;
}

/**
 * The new session's name, and its working directory where that is not the window's.
 */
export interface NewParams {
  name?: string | null;
  cwd?: string | null;
}

/**
 * The params of a method that takes none.
 */
export interface NoParams {}

/**
 * The path of a session file, or the id of one that `pi/session/list` knows.
 */
export interface OpenParams {
  file?: string | null;
  id?: string | null;
}

/**
 * The window's state with its new session.
 */
export interface Opened {
  state: State;
  editorText?: string | null;
}

/**
 * A place in a text as LSP has it: from 0, `character` in UTF-16 units.
 */
export interface Position {
  line: number;
  character: number;
}

/**
 * `keep_recent_tokens`: about so many tokens stay as they are; by default what the settings say.
 */
export interface PreviewParams {
  keepRecentTokens?: number | null;
}

/**
 * Texts that wait for the running turn.
 */
export interface Queue {
  steer: string[];
  followUp: string[];
}

/**
 * The texts that wait for the run.
 */
export interface QueueChanged {
  type: "queue";
  steer: string[];
  followUp: string[];
}

/**
 * The texts that shall wait, in order, instead of those that do.
 */
export interface QueueParams {
  steer: string[];
  followUp: string[];
}

/**
 * A stretch of a text; `end` is behind it.
 */
export interface Range {
  start: Position;
  end: Position;
}

/**
 * A place that the user shows the model: a file, or the lines of it that a range touches.
 */
export interface Reference {
  uri: string;
  range?: Range | null;
}

/**
 * The session's name; an empty one takes it away.
 */
export interface RenameParams {
  name: string;
}

/**
 * The result of `pi/session/rename`: nothing.
 */
export interface RenameResult {}

/**
 * Rule files, skills or settings changed, in a buffer or on disk.
 */
export interface ResourcesChanged {
  type: "resources_changed";
  rules: boolean;
  skills: boolean;
  settings: boolean;
}

/**
 * The call that brings back what is absent.
 */
export interface Restore {
  method: string;
  params: Record<string, unknown>;
}

/**
 * The entry whose text the model shall have.
 */
export interface RestoreParams {
  entryId: string;
}

/**
 * The message that was appended.
 */
export interface RestoreResult {
  entryId: string;
}

/**
 * The pause is over.
 */
export interface RetryAttemptStart {
  type: "retry_attempt_start";
  operation: "branchSummary" | "chat" | "compaction";
  attempt: number;
}

/**
 * No more retries: it worked, or it did not.
 */
export interface RetryFinished {
  type: "retry_finished";
  operation: "branchSummary" | "chat" | "compaction";
  attempt: number;
  success: boolean;
}

/**
 * A request failed in a way that will pass; it goes out again after `delay_ms`. `reason`: the error for people.
 */
export interface RetryScheduled {
  type: "retry_scheduled";
  operation: "branchSummary" | "chat" | "compaction";
  attempt: number;
  maxAttempts: number;
  delayMs: number;
  error: string;
  reason: string;
}

/**
 * A rule file in reading order. `tokens` is an estimate; `by` is the file that is read instead, or was before.
 */
export interface RuleFile {
  uri: string;
  scope: "ancestor" | "directory" | "global" | "nested";
  loaded: boolean;
  reason?: "belowCwd" | "duplicate" | "notAFile" | "otherCase" | "shadowed" | "unreadable" | "worktree" | null;
  by?: string | null;
  detail?: string | null;
  inSession: boolean;
  changedSince?: boolean | null;
  tokens: number;
  bytes: number;
  lines: number;
  title?: string | null;
  appliesTo?: string | null;
}

/**
 * The rule files of one directory, and what those that are loaded weigh together.
 */
export interface Rules {
  directory: string;
  files: RuleFile[];
  tokens: number;
  bytes: number;
}

/**
 * The answers for `uris`, in their order.
 */
export interface RulesOfMany {
  results: Rules[];
}

/**
 * Rule files below the working directory that the session could load.
 */
export interface RulesOffered {
  type: "rules_offered";
  uris: string[];
}

/**
 * A directory or a file, or several; the working directory where neither is given.
 */
export interface RulesParams {
  uri?: string | null;
  uris?: string[] | null;
}

/**
 * What a client that comes to a run needs to follow it.
 *
 * `message` is the answer so far; it holds all deltas up to the event `seq` and none after it. `tools` and
 * `approvals` are those that are open.
 */
export interface Running {
  seq: number;
  message?: Record<string, unknown> | null;
  tools: (Record<string, unknown>)[];
  approvals: (Record<string, unknown>)[];
}

/**
 * The window has another session, or its leaf moved.
 */
export interface SessionChangedEvent {
  type: "session_changed";
  state: State;
}

/**
 * Sessions, newest first. `next` is the cursor of the next page; `problems` names files that are no sessions.
 */
export interface SessionList {
  sessions: ListedSession[];
  next?: string | null;
  problems?: string[];
}

/**
 * What the session was told of it, to be compared with the file as it is now.
 */
export interface SessionRule {
  text: string;
}

/**
 * A rule file; it need not exist any more.
 */
export interface SessionRuleParams {
  uri: string;
}

/**
 * The window's session. `file` is missing until something was written; `entries` counts those in it.
 */
export interface SessionState {
  id: string;
  file?: string | null;
  name?: string | null;
  cwd: string;
  entries: number;
  leafId: string | null;
}

/**
 * Two skills of one name: the winner counts.
 */
export interface SkillCollision {
  name: string;
  winner: string;
  loser: string;
}

/**
 * A skill. `listed`: the prompt names it; `tokens` (an estimate) is what its line there takes.
 */
export interface SkillFile {
  name: string;
  description: string;
  uri: string;
  scope: "project" | "settings" | "user";
  listed: boolean;
  reason?: string | null;
  tokens: number;
}

/**
 * All skills, those that count first and in order of precedence. `problems`: what was not looked at, and why.
 */
export interface Skills {
  skills: SkillFile[];
  collisions: SkillCollision[];
  problems?: string[];
}

/**
 * The result of `pi/state`.
 */
export interface State {
  session: SessionState;
  phase: "compacting" | "idle" | "retrying" | "running" | "switching";
  running?: Running | null;
  model?: ModelState | null;
  thinkingLevel: string;
  context: ContextState;
  cost: Cost;
  queue: Queue;
  trusted: boolean;
  toolPolicy: string;
}

/**
 * `target_id`: an entry, or null for before the first; `instructions` are for the summary of what is left.
 */
export interface SwitchParams {
  workDoneToken?: number | string | null;
  targetId: string | null;
  summarizer?: "local" | "model" | "none";
  instructions?: string | null;
  label?: string | null;
}

/**
 * Where the window stands now. `editor_text`: the user's message that was the target, to be sent anew.
 *
 * `error`: why the summary is local though a model was to write it.
 */
export interface SwitchResult {
  stopReason: "cancelled" | "done";
  leafId: string | null;
  summaryEntryId?: string | null;
  editorText?: string | null;
  summarizer: "hook" | "local" | "model" | "none";
  error?: string | null;
}

/**
 * A template: `/name` and its arguments become its text. `argument_hint` says in words what they are.
 */
export interface TemplateFile {
  name: string;
  description?: string | null;
  argumentHint?: string | null;
  uri: string;
  scope: "project" | "settings" | "user";
}

/**
 * The templates that can be called, in order of precedence.
 *
 * `problems`: which files are none, and what was not looked at, each with the reason.
 */
export interface Templates {
  templates: TemplateFile[];
  problems?: string[];
}

/**
 * A level: off, minimal, low, medium, high, xhigh, max.
 */
export interface ThinkingParams {
  level: string;
}

/**
 * An entry. `parent_id` is the nearest one above that the filter shows, `children` counts those shown below.
 *
 * `failed`: an answer that failed, or was aborted. `branch`, in an outline: a branch begins here that was left, of so
 * many entries; those past 1,000 are not counted.
 */
export interface TreeNode {
  id: string;
  parentId: string | null;
  type: string;
  role?: string | null;
  preview: string;
  label?: string | null;
  time: string;
  children: number;
  onPath: boolean;
  bytes: number;
  failed?: "aborted" | "error" | null;
  branch?: number | null;
}

/**
 * `under`: only what follows this entry; `depth`: so many levels; `query`: only entries with all its words.
 *
 * `outline`: only the entries on the way to the leaf (off the path: to the newest end), and of each branch beside them
 * the first; the last `limit` of these, or of those that stand before the entry `before`. `depth` does not apply.
 * `ends`: only entries that nothing follows, the last written first; nothing else than `filter`, `query` and `limit`
 * applies.
 */
export interface TreeParams {
  under?: string | null;
  depth?: number | null;
  outline?: boolean;
  ends?: boolean;
  before?: string | null;
  limit?: number;
  filter?: "all" | "default" | "labeled" | "noTools" | "userOnly";
  query?: string | null;
}

/**
 * Nodes in reading order: each before those that follow it, siblings by time (in an outline the line's own last).
 * The ends alone: the last written first.
 *
 * `more`: the limit cut the list, an outline at its beginning.
 */
export interface TreeResult {
  leafId: string | null;
  roots: string[];
  nodes: TreeNode[];
  more: boolean;
}

/**
 * `remember`: write the decision into Pi's trust.json, where Pi finds it too.
 */
export interface TrustParams {
  trusted: boolean;
  remember?: boolean;
}

/**
 * What holds now.
 */
export interface TrustResult {
  trusted: boolean;
}

/**
 * The turn is over.
 */
export interface TurnEnd {
  type: "turn_end";
}

/**
 * A request to the model, and what is done with its answer.
 */
export interface TurnStart {
  type: "turn_start";
}

/**
 * The leaf now: an anchor behind the entry that stood before the compaction.
 */
export interface UndoResult {
  leafId: string | null;
}

/**
 * Tokens and US dollars of all requests of a run, as the provider billed them.
 */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  cost: Cost;
}

/**
 * Something that the person should know and that stops nothing. A face shows it by itself.
 */
export interface Warned {
  type: "warning";
  message: string;
}

/** The requests that the server answers. */
export interface Methods {
  "pi/state": { params: NoParams; result: State };
  "pi/rules": { params: RulesParams; result: Rules | RulesOfMany };
  "pi/rules/all": { params: NoParams; result: AllRules };
  "pi/rules/session": { params: SessionRuleParams; result: SessionRule };
  "pi/rules/load": { params: LoadParams; result: LoadResult };
  "pi/skills": { params: NoParams; result: Skills };
  "pi/templates": { params: NoParams; result: Templates };
  "pi/session/list": { params: ListParams; result: SessionList };
  "pi/session/entries": { params: EntriesParams; result: Entries };
  "pi/session/open": { params: OpenParams; result: Opened };
  "pi/session/new": { params: NewParams; result: Opened };
  "pi/session/fork": { params: ForkParams; result: Opened };
  "pi/session/clone": { params: NoParams; result: Opened };
  "pi/session/rename": { params: RenameParams; result: RenameResult };
  "pi/session/delete": { params: DeleteParams; result: DeleteResult };
  "pi/tree": { params: TreeParams; result: TreeResult };
  "pi/tree/switch": { params: SwitchParams; result: SwitchResult };
  "pi/tree/label": { params: LabelParams; result: LabelResult };
  "pi/chat": { params: ChatParams; result: ChatResult };
  "pi/abort": { params: NoParams; result: AbortResult };
  "pi/queue/set": { params: QueueParams; result: AbortResult };
  "pi/model/list": { params: NoParams; result: ModelList };
  "pi/model/set": { params: ModelParams; result: State };
  "pi/thinking/set": { params: ThinkingParams; result: State };
  "pi/auth/set": { params: AuthParams; result: AuthResult };
  "pi/compact": { params: CompactParams; result: CompactResult };
  "pi/compact/preview": { params: PreviewParams; result: CompactionPreview };
  "pi/compact/undo": { params: NoParams; result: UndoResult };
  "pi/context": { params: ContextParams; result: Context };
  "pi/context/restore": { params: RestoreParams; result: RestoreResult };
  "pi/explain": { params: ExplainParams; result: Explanation };
  "pi/trust/set": { params: TrustParams; result: TrustResult };
}

/** What the server tells unasked. */
export interface Notifications {
  "pi/event": EventParams;
}
