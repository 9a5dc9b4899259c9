import { journalPlace } from "../../adapters/journals/open-journal.ts";
import { type Config, defaultSpend } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { guardImports } from "../../config/trust/guard-imports.ts";
import type { RunEvent } from "../../core/events.ts";
import { surveyCode } from "../trust/survey.ts";
import { planCall } from "../verbs/plan-call.ts";
import { formatUsd } from "../../core/work/spend.ts";
import type { CompareRun, CompareSummary } from "../verbs/compare.ts";
import type { FailOn } from "../../core/fail-words.ts";
import { failsOn } from "../verbs/fail-on.ts";
import type { ChangedSkill, ChangedSkills } from "./changed-skills.ts";
import { changedInputs, touchedFiles } from "./changed-inputs.ts";
import { refuseTrackedJournal } from "./refuse-tracked-journal.ts";

/** What became of one skill of a pull request. */
export type SkillCheck = { readonly skill: string; readonly fails: boolean } & (
  | {
      readonly kind: "compared";
      readonly summary: CompareSummary;
      /** US dollars that were spent on it now, as people read it. */
      readonly spentNow: string;
    }
  /** It was measured, but with tasks, checks, a judge or a config that the same branch changes: figures and no verdict. */
  | {
      readonly kind: "withheld";
      /** Which of them it changes, as a sentence. */
      readonly why: string;
      readonly figures: Figures;
      readonly spentNow: string;
    }
  /** Nothing can be compared, and nothing is wrong. */
  | { readonly kind: "added" | "removed" | "unchanged" | "no-tasks" }
  /** It was not measured, because no key is here or something failed. */
  | {
      readonly kind: "not-measured";
      readonly why: string;
      readonly next?: string;
      /** What measuring it would take and could show, where that can be said. */
      readonly could?: string;
      /** Set where it is a fault, and not just a place without keys. */
      readonly error?: WhetstoneError;
    }
);

/** What a comparison found, without a word on whether that is better. */
export type Figures = Pick<
  CompareSummary,
  "run" | "tasks" | "trials" | "before" | "after" | "lost" | "perRollout" | "detectable" | "cost"
> & { readonly claim?: Pick<NonNullable<CompareSummary["claim"]>, "difference" | "interval"> };

export interface PullRequestCheck {
  /** The commit that was compared with. */
  readonly base: string;
  readonly failOn?: FailOn | undefined;
  readonly checks: readonly SkillCheck[];
}

/** Hears an event, and gives it as it may be shown. */
type OnEvent = (event: RunEvent) => RunEvent;

export interface CheckOptions {
  readonly cwd: string;
  readonly failOn?: FailOn | undefined;
  /** The config that a skill is measured with; undefined where it has no tasks. */
  readonly configFor: (skill: string) => Promise<Config | undefined>;
  readonly compare: (config: Config, baseline: string, onEvent: OnEvent) => Promise<CompareRun>;
}

/** Compares each changed skill with the base, one after another; a cap in money is for all of them together. */
export async function checkSkills(
  { base, skills }: ChangedSkills,
  options: CheckOptions,
): Promise<PullRequestCheck> {
  const checks: SkillCheck[] = [];
  const purse = openPurse();
  // a module is loaded once, for whichever skill comes first
  const code = new Set<string>();
  const touched = skills.length === 0 ? [] : await touchedFiles(options.cwd, base);
  for (const changed of skills)
    checks.push(await checkSkill(changed, { ...options, base, purse, code, touched }));
  return { base, failOn: options.failOn, checks };
}

/** What the checks of one pull request share. */
interface Shared {
  readonly base: string;
  readonly purse: Purse;
  readonly code: Set<string>;
  readonly touched: readonly string[];
}

async function checkSkill(
  { path, change }: ChangedSkill,
  { cwd, base, failOn, configFor, compare, purse, code, touched }: CheckOptions & Shared,
): Promise<SkillCheck> {
  const plain = (kind: "added" | "removed" | "unchanged" | "no-tasks"): SkillCheck => ({
    skill: path,
    kind,
    fails: false,
  });
  if (change !== "changed") return plain(change);
  const before = purse.spentNano();
  let config: Config | undefined;
  try {
    const guard = guardImports();
    try {
      config = await configFor(path);
      // scorers too, with all that they import: they are loaded later, in threads
      if (config !== undefined) await surveyCode(config, cwd);
    } finally {
      guard.release();
    }
    if (config === undefined) return plain("no-tasks");
    for (const file of guard.files.keys()) if (!file.endsWith(".json")) code.add(file);
    const loaded = [...new Set([...guard.files.keys(), ...code])];
    const why = await changedInputs({ cwd, skill: path, config, loaded, touched });
    await refuseTrackedJournal(journalPlace(config.journal, cwd).journalDir);
    const { summary } = await compare(purse.cap(config), base, (event) => {
      purse.hear(event);
      return why === undefined ? event : withoutVerdict(event, why);
    });
    if (summary.verdict === "identical") return plain("unchanged");
    const spentNow = formatUsd(purse.spentNano() - before);
    if (why === undefined)
      return { skill: path, kind: "compared", summary, spentNow, fails: failsOn(summary, failOn) };
    // no loss is shown, and no gain either
    const fails = failOn === "not-better";
    return { skill: path, kind: "withheld", why, figures: figuresOf(summary), spentNow, fails };
  } catch (error) {
    if (!(error instanceof WhetstoneError) || error.code === "interrupted") throw error;
    const { code, message: why, hint: next } = error;
    const missed = { skill: path, kind: "not-measured", fails: false } as const;
    if (code !== "offline-miss" || config === undefined)
      return { ...missed, why, ...(next === undefined ? {} : { next }), error };
    const offline = "nothing is called here, and the journal does not have these results";
    return { ...missed, why: offline, could: await sayPlan(config, base, cwd) };
  }
}

function figuresOf({ claim, ...summary }: CompareSummary): Figures {
  const { run, tasks, trials, before, after, lost, perRollout, detectable, cost } = summary;
  const figures = { run, tasks, trials, before, after, lost, perRollout, detectable, cost };
  if (claim === undefined) return figures;
  return { ...figures, claim: { difference: claim.difference, interval: claim.interval } };
}

/** The end of a run says its verdict, in words and as data. */
function withoutVerdict(event: RunEvent, why: string): RunEvent {
  if (event.type !== "run-end" || event.status !== "done") return event;
  const { summary: _, ...rest } = event;
  return { ...rest, message: why };
}

/** What all comparisons of one check may spend together. */
interface Purse {
  /** Hears what a comparison books, also of one that fails. */
  readonly hear: (event: RunEvent) => void;
  /** What was booked now. What earlier executions of the runs have booked is not in it. */
  spentNano(): number;
  /** A config with what is left of its cap in money. */
  cap(config: Config): Config;
}

function openPurse(): Purse {
  let spentNano = 0;
  /** Set while a run goes on. */
  let already: number | undefined;
  return {
    hear(event) {
      if (event.type === "run-start") already = event.spent.nanoUsd;
      if (event.type === "run-end" && already !== undefined) {
        spentNano += event.cost.nanoUsd - already;
        already = undefined;
      }
      // a call that was in flight when the run stopped is paid too
      if (event.type === "unit-end" && already === undefined && event.from === "provider")
        spentNano += event.cost.nanoUsd;
    },
    spentNano: () => spentNano,
    cap(config) {
      const caps = config.spend ?? defaultSpend;
      if (caps.usd === undefined || spentNano === 0) return config;
      return { ...config, spend: { ...caps, usd: Math.max(caps.usd - spentNano / 1e9, 0) } };
    },
  };
}

/** For whoever has the key. */
async function sayPlan(config: Config, baseline: string, cwd: string): Promise<string> {
  const { calls, price, provable = "" } = await planCall(config, { verb: "compare", baseline, cwd });
  const range = (low: string, high: string) => (low === high ? low : `${low} to ${high}`);
  const takes = `Measuring it would take ${range(String(calls.low), String(calls.high))} calls, about ${range(formatUsd(price.low), formatUsd(price.high))}.`;
  return `${takes} ${provable}`.trim();
}
