import { allTasks, isShared } from "../../core/tasks/few-tasks.ts";
import type { SearchOdds } from "../../core/rules/search-odds.ts";
import { journalPlace } from "../../config/journal-place.ts";
import { scoreAside } from "../../adapters/scoring/scoring-threads.ts";
import { readEnv } from "../../config/env.ts";
import { resolveConfig } from "../../config/resolve/resolve.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Config } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { ModelHosts } from "../../core/describe-models.ts";
import type { Journal } from "../../core/ports/journal.ts";
import type { Role } from "../../core/ports/model.ts";
import { type PlannedClaim, planClaim } from "../../core/gate/claim/plan-claim.ts";
import type { SpendCaps, TrainSettings } from "../../core/settings.ts";
import type { Tried } from "../../core/scorers/try-degenerate.ts";
import { planVerb } from "./plan.ts";
import type { RunPlan } from "./run-plan.ts";
import { type CompareOptions, type CompareTasks, openCompare } from "./compare.ts";
import { draftVerb } from "./draft.ts";
import { evaluateVerb } from "./evaluate.ts";
import { type PruneOptions, openPrune } from "./prune.ts";
import { trainVerb } from "./train.ts";
import type { Rehearsable } from "./verb.ts";
import type { MaybeOpened } from "../session/open-run.ts";
import { knownScore, planNextRead } from "../session/sealed-power.ts";
import { withJournal, readSidesAt } from "../session/open-if-there.ts";
import { expectedGain } from "../session/expected-gain.ts";
import { skillSizeOf } from "../session/start-event.ts";
import { tryChecks } from "../session/try-checks-first.ts";

/** What a call will take, and what it is about. */
export interface CallPlan extends RunPlan {
  /** What the skill is and where it goes: "SKILL.md and 2 files, 3,330 characters in every prompt". */
  readonly skill: string;
  readonly models: Readonly<Record<Role, string>>;
  /** Of models that are not at their vendor's own, by `provider/model`. */
  readonly hosts?: ModelHosts;
  /** Further fields of the requests, by role. */
  readonly extraBody?: TrainSettings["extraBody"];
  readonly tasks: { readonly train: number; readonly val: number; readonly test: number };
  readonly spend: SpendCaps;
  /** Models for which a subscription pays: they cost calls and tokens, no money. */
  readonly logins: readonly string[];
  readonly guesses: readonly string[];
  readonly notes: readonly string[];
  /** What it can show and what it cannot, in sentences; missing where nothing is claimed. */
  readonly provable?: string;
  /** Of a training. */
  readonly power?: TrainingPower;
  /** Of a training with the gate `rules`: what searches like it came to in simulated worlds. */
  readonly odds?: SearchOdds & { readonly sentence: string };
}

/** What a training can show. */
export interface TrainingPower {
  /** Few tasks all serve the search, so its verdict is about these alone. @default false */
  readonly isShared?: boolean;
  /** What the sealed test can find on its next read, and which read that is; missing without a test split. */
  readonly sealed?: PlannedClaim & {
    readonly read: number;
    /** Test tasks: more than `tasks`, where some are groups that count once. */
    readonly of: number;
  };
  /** What degenerate answers pass, and checks that are slow on them. Graders and functions are not run for this. */
  readonly checks: Tried;
  /** Whether `whetstone eval` has measured this skill with this target; otherwise a score of 50 % is assumed. */
  readonly scoreMeasured: boolean;
}

/** Which call is planned. */
export interface PlannedCall extends Pick<PruneOptions, "margin" | "since"> {
  /** What is to be done. @default "train" */
  readonly verb?: "train" | "eval" | "compare" | "prune" | "draft";
  /** Of `eval` and `compare`. */
  readonly on?: CompareTasks;
  /** Of `compare`. */
  readonly baseline?: CompareOptions["baseline"];
  /** Of `draft`. */
  readonly count?: number;
  /** Called after each rehearsal: soon with one figure, then with ranges. */
  readonly onSoFar?: (plan: Pick<CallPlan, "price" | "time" | "calls" | "rehearsals">) => void;
}

/** Everything that can be said about a run before money is spent. No call is made, and nothing is written. */
export async function planCall(
  config: Config,
  options: PlannedCall & { readonly cwd: string },
): Promise<CallPlan> {
  const { cwd, verb = "train" } = options;
  const seen = await readSidesAt(journalPlace(config.journal, cwd));
  const withoutTasks = verb === "draft";
  const resolved = await resolveConfig(config, {
    cwd,
    env: readEnv(),
    withoutCalls: true,
    withoutTasks,
    trains: verb === "train",
    seen,
  });
  const { splits, models, guesses, notes, hosts, spend, logins = [] } = resolved;
  return withJournal(resolved, async (journal) => {
    const planned = await openVerb(options, { resolved, journal });
    return {
      ...(await planVerb(planned, journal, options.onSoFar)),
      // of a training, `power` says more
      provable: verb === "train" ? undefined : await planned.provable?.(journal),
      skill: skillSizeOf(resolved),
      models,
      hosts,
      extraBody: resolved.settings.extraBody,
      logins,
      tasks: { train: splits.train.length, val: splits.val.length, test: splits.test.length },
      spend,
      guesses,
      notes,
      power: verb === "train" ? await planPower(resolved, journal) : undefined,
      odds: verb === "train" ? await expectedGain(resolved, planned.steps ?? 0, journal) : undefined,
    };
  });
}

async function openVerb(
  options: PlannedCall & { readonly cwd: string },
  opened: MaybeOpened,
): Promise<Rehearsable> {
  const { verb = "train", on, baseline, count = 12 } = options;
  const { resolved } = opened;
  if (verb === "eval") return evaluateVerb(resolved, on === "train" || on === "test" ? on : "val");
  if (verb === "prune") return openPrune(options, opened);
  if (verb === "draft") return draftVerb(resolved, count);
  if (verb === "train") return trainVerb(resolved);
  if (baseline !== undefined) return openCompare({ baseline, on, cwd: options.cwd }, opened);
  throw new WhetstoneError("usage", "A comparison needs something to compare with.", {
    hint: "Add --baseline <git ref or path>, such as --baseline main.",
  });
}

async function planPower(resolved: Resolved, journal: Journal | undefined): Promise<TrainingPower> {
  const { settings, splits } = resolved;
  const score = await knownScore(resolved, journal);
  const test = splits.test.length;
  const sealedPower = async () => {
    const { claim, read } = await planNextRead(resolved, score, journal);
    return { ...planClaim(claim), read, of: test };
  };
  return {
    ...(isShared(splits) ? { isShared: true } : {}),
    sealed: settings.evalTest && test > 0 ? await sealedPower() : undefined,
    checks: await tryChecks(allTasks(splits), resolved, { aside: scoreAside }),
    scoreMeasured: score !== undefined,
  };
}
