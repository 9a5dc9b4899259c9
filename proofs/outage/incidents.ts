import type { Fault, ScriptedRequest } from "../../src/testing/index.ts";
import { roleOf, ticketRule } from "../../test/support/commit-world.ts";

/** Something that goes wrong on the second night, until somebody mends it. */
export interface Incident {
  readonly name: string;
  /** How `whetstone sleep run` must end meanwhile. */
  readonly exit: number;
  /** What it must say. */
  readonly words: RegExp;
  readonly isShort: boolean;
  /** It takes the client minutes to be sure of it. */
  readonly isSlow?: true;
  /** The fault of a call, if it meets one. */
  readonly fault: (call: Call) => Fault | undefined;
}

export interface Call {
  readonly model: string;
  /** 1 for the first call with its key. */
  readonly attempt: number;
  /** How many calls came before it in this night. */
  readonly before: number;
  /** The document as it is, on a task that tonight's rules are judged by. */
  readonly isBaseline: boolean;
  /** A verdict on an answer, not the calibration of the judge. */
  readonly isVerdict: boolean;
}

/** What a fault plan needs to know of a call. */
export function readCall(
  { model, system, messages }: ScriptedRequest,
  attempt: number,
  before: number,
  val: readonly string[],
): Call {
  const prompt = messages.map(({ content }) => content).join("\n\n");
  const role = roleOf({ system, prompt });
  const isTold = `${system}\n${prompt}`.includes(ticketRule);
  return {
    model,
    attempt,
    before,
    isBaseline: role === "target" && !isTold && val.some((request) => prompt.includes(request)),
    isVerdict: role === "judge" && prompt.includes("Change what was asked for"),
  };
}

const unavailable = /The service is unavailable for the moment/;

export const incidents: readonly Incident[] = [
  {
    name: "a total outage",
    exit: 5,
    words: unavailable,
    isShort: true,
    fault: () => "503",
  },
  {
    name: "an outage of the baseline alone",
    exit: 5,
    words: unavailable,
    isShort: true,
    isSlow: true,
    fault: ({ isBaseline }) => (isBaseline ? "503" : undefined),
  },
  {
    name: "connections are reset for a while in the middle of the baseline",
    exit: 0,
    words: /./,
    isShort: true,
    isSlow: true,
    fault: ({ isBaseline, attempt }) => (isBaseline && attempt === 1 ? "reset" : undefined),
  },
  {
    name: "connections are reset from the baseline on",
    exit: 5,
    words: /reset|ECONNRESET|socket|connect/i,
    isShort: false,
    isSlow: true,
    fault: ({ isBaseline }) => (isBaseline ? "reset" : undefined),
  },
  {
    name: "an outage of the judge alone",
    exit: 5,
    words: unavailable,
    isShort: true,
    isSlow: true,
    fault: ({ isVerdict }) => (isVerdict ? "503" : undefined),
  },
  {
    name: "a key that expires in the middle",
    exit: 1,
    words: /The API key is not valid/,
    isShort: true,
    fault: ({ before }) => (before >= 30 ? "401" : undefined),
  },
  {
    name: "a model that the provider does not have",
    exit: 2,
    words: /does not exist or is not open to this key/,
    isShort: true,
    fault: ({ model }) => (model === "small" ? "404" : undefined),
  },
  {
    name: "the provider's spend limit",
    exit: 1,
    words: /has reached its spend limit/,
    isShort: true,
    fault: ({ before }) => (before >= 60 ? "429-spend-limit" : undefined),
  },
  {
    name: "everything is overloaded from the gate on",
    exit: 5,
    words: /Overloaded/,
    isShort: false,
    isSlow: true,
    fault: ({ before }) => (before >= 60 ? "529" : undefined),
  },
];
