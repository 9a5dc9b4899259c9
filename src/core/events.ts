import type { EndedStep, StepAction } from "./step-record.ts";
import type { Place, Stage } from "./place.ts";
import type { ModelHosts } from "./describe-models.ts";
import type { Json } from "./json.ts";
import type { Evidence } from "./evidence.ts";
import type { Cost } from "./cost.ts";
import type { Forecast } from "./rehearse/forecast.ts";
import type { SpendCaps } from "./settings.ts";
import type { UnusableReply } from "./unusable-reply.ts";

/** The command that started a run. Your own commands begin with `my-`. */
export type RunCommand = "train" | "eval" | "compare" | "draft" | "prune" | "sleep" | `my-${string}`;

/** A run's events, in order. Terminal, dashboard, report and `--json` are reducers over them. */
export type EventBody =
  | {
      readonly type: "run-start";
      readonly command: RunCommand;
      readonly skill: string;
      /** The skill's own name, if it has one. */
      readonly skillName?: string;
      /** Its path on the run's machine; missing when the skill was given in code. */
      readonly skillPath?: string;
      /** Its files and size: "SKILL.md and 2 files, 3,330 characters in every prompt". */
      readonly skillSize?: string;
      readonly models: Readonly<Record<string, string>>;
      /** Hosts of models that aren't at their vendor's own address, by `provider/model`. */
      readonly hosts?: ModelHosts;
      readonly tasks: Readonly<Record<"train" | "val" | "test", number>>;
      readonly steps: number;
      /** Results of this run that were already in the journal. */
      readonly resumed: number;
      /** The run had already finished: everything that follows is read from the journal. */
      readonly finished: boolean;
      /** The cost booked by earlier executions of this run. */
      readonly spent: Cost;
      /** The spend caps of this execution; missing in older logs. */
      readonly caps?: SpendCaps;
      /** The folder for artifacts. */
      readonly folder: string;
      readonly settings: Json;
      /** A sentence on how large a gain the sealed test of a training can show. */
      readonly provable?: string;
      /** Ids of tasks that a person left out, now or in an earlier execution. */
      readonly leftOut?: readonly string[];
      /** Asserts of the suite that the tasks don't use: `latency (12 tasks)`. */
      readonly leftAside?: readonly string[];
    }
  /** The run's estimated cost and time, sent before its first call. */
  | {
      readonly type: "plan";
      readonly message: string;
      readonly calls: { readonly low: number; readonly high: number };
      readonly nanoUsd: { readonly low: number; readonly high: number };
      /** How long it will take. */
      readonly ms?: { readonly low: number; readonly high: number };
    }
  /** The remaining work and its duration, from rehearsals. The time left is computed from it. */
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
      /** `journal`: the result was recorded already, so this event isn't logged. */
      readonly from: "provider" | "journal";
      readonly cost: Cost;
      readonly ms: number;
      readonly tries: number;
    })
  /** A try at a unit starts, or ends without a result. For live views only; never logged. */
  | (Pick<Place, "role" | "step" | "stage"> & {
      readonly type: "try-start";
      readonly key: string;
      /** The unit's kind. */
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
   * A reply couldn't be used as an answer, or the provider refused the prompt. Each execution reports it for each key it
   * meets, bought or not, so the latest execution has reported all of them.
   */
  | (Pick<Place, "role" | "step" | "stage"> & {
      readonly type: "reply-unusable";
      readonly key: string;
      readonly reply: UnusableReply;
      /** The reply's problem, in a sentence. */
      readonly message: string;
      /** The setting to change. */
      readonly next: string;
      /** Ids of tasks that preflight expects to be too long. */
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
  /** The skill after a change outside of steps: by guidance at an epoch's end, or at the end of the search. */
  | {
      readonly type: "turn-end";
      readonly turn: "guidance" | "end";
      /** The last step before it. */
      readonly step: number;
      readonly epoch: number;
      readonly action: StepAction;
      /** Why, in one sentence for people. */
      readonly reason: string;
      /** The skill's current gate score; null when nothing was measured (`gate: off`). */
      readonly score: number | null;
    }
  /** No more steps follow. From now on only the end is measured, which `turn-end` reports. */
  | {
      readonly type: "search-end";
      /** Whether anything is left to confirm or to claim. */
      readonly kept: boolean;
    }
  /** The data behind the figures in the run's summary. `whetstone verify` recomputes them from it. */
  | { readonly type: "evidence"; readonly evidence: Evidence }
  | {
      readonly type: "run-end";
      readonly status: "done" | "stopped";
      /** The error's code when stopped. */
      readonly code?: string;
      readonly message: string;
      /** The next step when stopped. */
      readonly next?: string;
      readonly summary?: Json;
      readonly cost: Cost;
    }
  /** The judge was tried on answers known to be good or bad. */
  | {
      readonly type: "judge-calibrated";
      readonly judge: string;
      /** Null if no answer is known to be good. */
      readonly accuracy: number | null;
      readonly message: string;
    }
  /** The proxy removed these fields and headers from an agent's requests. Each name is reported once. */
  | { readonly type: "request-trimmed"; readonly agent: string; readonly removed: readonly string[] }
  /** A person removed the run. Its results stay until `runs gc`. */
  | { readonly type: "run-removed" };

/** Whether an event is logged. Results from the journal are in it already, and tries have their own rows. */
export const isLogged = (event: EventBody): boolean =>
  event.type !== "try-start" &&
  event.type !== "try-failed" &&
  !(event.type === "unit-end" && event.from !== "provider");

/** One line of the event log. */
export type RunEvent = EventBody & {
  /** Version of this format. */
  readonly v: 1;
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly run: string;
};
