import { journalPlace } from "../../adapters/journals/open-journal.ts";
import { type Config, defaultSpend } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import { planCall } from "../verbs/plan-call.ts";
import { formatUsd } from "../../core/work/spend.ts";
import type { CompareRun, CompareSummary } from "../verbs/compare.ts";
import type { FailOn } from "../../core/fail-words.ts";
import { failsOn } from "../verbs/fail-on.ts";
import type { ChangedSkill, ChangedSkills } from "./changed-skills.ts";
import { refuseTrackedJournal } from "./refuse-tracked-journal.ts";

/** What became of one skill of a pull request. */
export type SkillCheck = { readonly skill: string; readonly fails: boolean } & (
  | {
      readonly kind: "compared";
      readonly summary: CompareSummary;
      /** US dollars that were spent on it now, as people read it. */
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

export interface PullRequestCheck {
  /** The commit that was compared with. */
  readonly base: string;
  readonly failOn?: FailOn | undefined;
  readonly checks: readonly SkillCheck[];
}

type OnEvent = (event: RunEvent) => void;

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
  for (const changed of skills) checks.push(await checkSkill(changed, { ...options, base, purse }));
  return { base, failOn: options.failOn, checks };
}

async function checkSkill(
  { path, change }: ChangedSkill,
  { cwd, base, failOn, configFor, compare, purse }: CheckOptions & { base: string; purse: Purse },
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
    config = await configFor(path);
    if (config === undefined) return plain("no-tasks");
    await refuseTrackedJournal(journalPlace(config.journal, cwd).journalDir);
    const { summary } = await compare(purse.cap(config), base, purse.hear);
    if (summary.verdict === "identical") return plain("unchanged");
    const spentNow = formatUsd(purse.spentNano() - before);
    return { skill: path, kind: "compared", summary, spentNow, fails: failsOn(summary, failOn) };
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

/** What all comparisons of one check may spend together. */
interface Purse {
  /** Hears what a comparison books, also of one that fails. */
  readonly hear: OnEvent;
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
