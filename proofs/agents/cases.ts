import type { AgentLimits } from "../../src/ports.ts";
import type { Fault } from "../../src/testing/index.ts";
import type { Script } from "./world.ts";

/** What a run came to: the verifier's word, a limit, or the kind of failure. */
export type Outcome =
  | "pass"
  | "fail"
  | "length"
  | "turns"
  | "refused"
  | "pending"
  | "stop"
  | "login"
  | "other";

export interface Case {
  readonly name: string;
  readonly short: boolean;
  readonly script: Script;
  /** The skill is installed. */
  readonly skill: boolean;
  /** What goes wrong with the n-th request, from 1. */
  readonly fault?: (n: number) => Fault | undefined;
  readonly limits?: Partial<AgentLimits>;
  /** Neither a key nor a login. */
  readonly noKey?: boolean;
  readonly wanted: readonly Outcome[];
  /** The most requests that may have been sent. */
  readonly requests?: number;
}

const edit = { script: "edit", skill: true } as const;
const always = (fault: Fault) => () => fault;
const once = (fault: Fault) => (n: number) => (n === 1 ? fault : undefined);

/** The rows of the failure table, after the two that show the skill at work. */
export const cases: readonly Case[] = [
  { name: "skill installed", short: true, ...edit, wanted: ["pass"] },
  { name: "skill removed", short: true, script: "edit", skill: false, wanted: ["fail"] },
  { name: "400", short: true, ...edit, fault: always("400"), wanted: ["stop"] },
  { name: "401", short: true, ...edit, fault: always("401"), wanted: ["login"], requests: 2 },
  { name: "not logged in", short: false, ...edit, noKey: true, wanted: ["login"], requests: 0 },
  {
    name: "429, Retry-After 1, once",
    short: false,
    ...edit,
    fault: once({ kind: "429", retryAfterSeconds: 1 }),
    wanted: ["pass", "pending"],
  },
  {
    name: "429, no header",
    short: true,
    ...edit,
    fault: always("429-no-header"),
    wanted: ["pending"],
    requests: 4,
  },
  {
    name: "429, Retry-After 3600",
    short: false,
    ...edit,
    fault: always({ kind: "429", retryAfterSeconds: 3600 }),
    wanted: ["pending"],
    requests: 1,
  },
  { name: "529", short: false, ...edit, fault: always("529"), wanted: ["pending"], requests: 4 },
  { name: "broken stream once", short: false, ...edit, fault: once("garbled"), wanted: ["pass", "pending"] },
  {
    name: "broken stream",
    short: false,
    ...edit,
    fault: always("garbled"),
    wanted: ["pending"],
    requests: 4,
  },
  { name: "cut stream once", short: false, ...edit, fault: once("cut"), wanted: ["pass", "pending"] },
  { name: "cut stream", short: true, ...edit, fault: always("cut"), wanted: ["pending"], requests: 4 },
  {
    name: "connection reset",
    short: false,
    ...edit,
    fault: always("reset"),
    wanted: ["pending"],
    requests: 4,
  },
  {
    name: "silent server",
    short: false,
    ...edit,
    fault: always("timeout"),
    wanted: ["pending"],
    requests: 1,
  },
  { name: "answer cut at max tokens", short: true, ...edit, fault: always("truncated"), wanted: ["length"] },
  {
    name: "turn limit",
    short: false,
    script: "loop",
    skill: true,
    limits: { turns: 3 },
    wanted: ["turns"],
    requests: 3,
  },
  { name: "refused write", short: false, script: "write-outside", skill: true, wanted: ["fail"] },
];
