import type { EndedStep, StepAction } from "./step-record.ts";
import type { Place, Stage } from "./place.ts";
import type { ModelHosts } from "./describe-models.ts";
import type { Json } from "./json.ts";
import type { Evidence } from "./evidence.ts";
import type { Cost } from "./cost.ts";
import type { Forecast } from "./rehearse/forecast.ts";
import type { SpendCaps } from "./settings.ts";
import type { UnusableReply } from "./unusable-reply.ts";

/** What a run was started by; a verb of your own begins with `my-`. */
export type RunCommand = "train" | "eval" | "compare" | "draft" | "prune" | "sleep" | `my-${string}`;

/** What happened, in the order it happened. Terminal, dashboard, report and `--json` are reducers over this. */
export type EventBody =
  | {
      readonly type: "run-start";
      readonly command: RunCommand;
      readonly skill: string;
      /** What people call it, where it says so. */
      readonly skillName?: string;
      /** Where it was read from, on the machine of the run; missing where it was given in code. */
      readonly skillPath?: string;
      /** What it is and where it goes: "SKILL.md and 2 files, 3,330 characters in every prompt". */
      readonly skillSize?: string;
      readonly models: Readonly<Record<string, string>>;
      /** Of models whose address is not their vendor's own, by `provider/model`. */
      readonly hosts?: ModelHosts;
      readonly tasks: Readonly<Record<"train" | "val" | "test", number>>;
      readonly steps: number;
      /** Results of this run that were already in the journal. */
      readonly resumed: number;
      /** The run had ended well before: all that follows is read from the journal. */
      readonly finished: boolean;
      /** What earlier executions of this run have booked. */
      readonly spent: Cost;
      /** What this execution may spend; missing in older logs. */
      readonly caps?: SpendCaps;
      /** Where the artifacts go. */
      readonly folder: string;
      readonly settings: Json;
      /** What the sealed test of a training can show and what it cannot. */
      readonly provable?: string;
      /** Ids of tasks that a person left out, now or in an earlier execution. */
      readonly leftOut?: readonly string[];
      /** Asserts of the suite that the tasks go without: `latency (12 tasks)`. */
      readonly leftAside?: readonly string[];
    }
  /** What the run will take, said before its first call. */
  | {
      readonly type: "plan";
      readonly message: string;
      readonly calls: { readonly low: number; readonly high: number };
      readonly nanoUsd: { readonly low: number; readonly high: number };
      /** How long it will take. */
      readonly ms?: { readonly low: number; readonly high: number };
    }
  /** What there is to do and how long it takes, from rehearsals: what is left is told by it. */
  | { readonly type: "forecast"; readonly forecast: Forecast }
  | {
      readonly type: "step-start";
      readonly step: number;
      readonly epoch: number;
      readonly steps: number;
      readonly budget: number;
    }
  | { readonly type: "stage-start"; readonly step: number; readonly stage: Stage; readonly total: number }
  | {
      readonly type: "stage-end";
      readonly step: number;
      readonly stage: Stage;
      readonly total: number;
      readonly pending: number;
      readonly ms: number;
      readonly hard?: number;
      readonly soft?: number;
    }
  | (Pick<Place, "role" | "step" | "stage"> & {
      readonly type: "unit-end";
      readonly key: string;
      /** `journal`: it was there already, and this is not written down. */
      readonly from: "provider" | "journal";
      readonly cost: Cost;
      readonly ms: number;
      readonly tries: number;
    })
  /** A try at a unit goes out, or comes back without a result. Only for who watches: never written down. */
  | (Pick<Place, "role" | "step" | "stage"> & {
      readonly type: "try-start";
      readonly key: string;
      /** Of the unit. */
      readonly kind?: string;
    })
  | (Pick<Place, "role" | "step" | "stage"> & {
      readonly type: "try-failed";
      readonly key: string;
      readonly class: string;
      readonly message: string;
    })
  | (Pick<Place, "role" | "step" | "stage"> & {
      readonly type: "unit-pending";
      readonly key: string;
      readonly class: string;
      readonly message: string;
    })
  /**
   * A reply came that is no answer, or the provider did not take the prompt. Each execution tells it of each key that it
   * meets, bought or not, so that the latest one has told of all of them.
   */
  | (Pick<Place, "role" | "step" | "stage"> & {
      readonly type: "reply-unusable";
      readonly key: string;
      readonly reply: UnusableReply;
      /** What came, in a sentence. */
      readonly message: string;
      /** The setting to change. */
      readonly next: string;
      /** Ids of tasks that are likely too long, as far as preflight can tell. */
      readonly tasks?: readonly string[];
    })
  | {
      readonly type: "lane-change";
      /** `provider/model`. */
      readonly lane: string;
      readonly state: "throttled" | "open" | "closed" | "down";
      readonly limit: number;
      readonly message: string;
    }
  | ({ readonly type: "step-end" } & EndedStep)
  /** What the skill became outside of steps: by guidance at an epoch's end, and at the end of the search, with why it ended. */
  | {
      readonly type: "turn-end";
      readonly turn: "guidance" | "end";
      /** The last step before it. */
      readonly step: number;
      readonly epoch: number;
      readonly action: StepAction;
      /** In one sentence, for a person. */
      readonly reason: string;
      /** The gate's score of the skill now; null when nothing was measured (`gate: off`). */
      readonly score: number | null;
    }
  /** No more steps: what is measured from now on is the end, and `turn-end` tells of it. */
  | {
      readonly type: "search-end";
      /** Whether anything is left to confirm or to claim. */
      readonly kept: boolean;
    }
  /** What the figures of the run's summary are computed from: `whetstone verify` computes them again. */
  | { readonly type: "evidence"; readonly evidence: Evidence }
  | {
      readonly type: "run-end";
      readonly status: "done" | "stopped";
      /** The error's code when stopped. */
      readonly code?: string;
      readonly message: string;
      /** What to do about it when stopped. */
      readonly next?: string;
      readonly summary?: Json;
      readonly cost: Cost;
    }
  /** The judge was tried on answers that are known to be good or bad. */
  | {
      readonly type: "judge-calibrated";
      readonly judge: string;
      /** Null where no answer is known to be good. */
      readonly accuracy: number | null;
      readonly message: string;
    }
  /** The proxy took these fields and headers out of an agent's requests. Each name is told once. */
  | { readonly type: "request-trimmed"; readonly agent: string; readonly removed: readonly string[] }
  /** A person no longer wants the run; what it bought stays until `runs gc`. */
  | { readonly type: "run-removed" };

/** Whether an event belongs to the log: what came from the journal is in it already, and tries have rows of their own. */
export const isLogged = (event: EventBody): boolean =>
  event.type !== "try-start" &&
  event.type !== "try-failed" &&
  !(event.type === "unit-end" && event.from !== "provider");

/** One line of the event log. */
export type RunEvent = EventBody & {
  /** Version of this shape. */
  readonly v: 1;
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly run: string;
};
