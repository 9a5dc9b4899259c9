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

/** A call's plan, and what the call is about. */
export interface CallPlan extends RunPlan {
  /** The skill and where it is used: "SKILL.md and 2 files, 3,330 characters in every prompt". */
  readonly skill: string;
  readonly models: Readonly<Record<Role, string>>;
  /** Hosts of models that aren't at their vendor's own, by `provider/model`. */
  readonly hosts?: ModelHosts;
  /** Extra fields of the requests, by role. */
  readonly extraBody?: TrainSettings["extraBody"];
  readonly tasks: { readonly train: number; readonly val: number; readonly test: number };
  readonly spend: SpendCaps;
  /** Models paid for by a subscription: they cost calls and tokens, but no money. */
  readonly logins: readonly string[];
  readonly guesses: readonly string[];
  readonly notes: readonly string[];
  /** Sentences on what it can and can't show; missing if nothing is claimed. */
  readonly provable?: string;
  /** For `train` only. */
  readonly power?: TrainingPower;
  /** For `train` with the gate `rules`: the results of similar searches in simulated worlds. */
  readonly odds?: SearchOdds & { readonly sentence: string };
}

/** The gains that a training can show. */
export interface TrainingPower {
  /** With few tasks, all of them serve the search, so the verdict is about these tasks only. @default false */
  readonly isShared?: boolean;
  /** The gains the sealed test can detect on its next read, and that read's number; missing without a test split. */
  readonly sealed?: PlannedClaim & {
    readonly read: number;
    /** The number of test tasks: more than `tasks` if some form groups that count once. */
    readonly of: number;
  };
  /** Checks that degenerate answers pass, and checks that are slow on them. Graders and functions aren't run for this. */
  readonly checks: Tried;
  /** Whether `whetstone eval` has measured this skill with this target; otherwise a score of 50% is assumed. */
  readonly scoreMeasured: boolean;
}

/** The call to plan. */
export interface PlannedCall extends Pick<PruneOptions, "margin" | "since"> {
  /** The command to plan. @default "train" */
  readonly verb?: "train" | "eval" | "compare" | "prune" | "draft";
  /** For `eval` and `compare`. */
  readonly on?: CompareTasks;
  /** For `compare`. */
  readonly baseline?: CompareOptions["baseline"];
  /** For `draft`. */
  readonly count?: number;
  /** Called after each rehearsal: first with single figures, then with ranges. */
  readonly onSoFar?: (plan: Pick<CallPlan, "price" | "time" | "calls" | "rehearsals">) => void;
}

/** Everything that can be known about a run before money is spent. Makes no calls and writes nothing. */
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
      // for a training, `power` says more
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
  throw new WhetstoneError("usage", "A comparison needs a baseline.", {
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
