/** The pi/ methods as one map from name to params and result, and the events. */
import type { EventParams, Methods } from "./generated";
import type { PlannedEvent, PlannedMethods } from "./planned";

export const PROTOCOL_VERSION = 1;

type All = Methods & Omit<PlannedMethods, keyof Methods>;

export type Method = keyof All;
export type Params<M extends Method> = All[M]["params"];
export type Result<M extends Method> = All[M]["result"];
export type PiEvent = EventParams["event"] | PlannedEvent;
/** An event with its number, which grows by one with each. */
export type Happened = PiEvent & { seq: number };

/** What a server of ours says under `capabilities.experimental.pi`. */
export interface PiCapability {
  version: number;
  methods: string[];
}
