import type { Config } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { planCall } from "../verbs/plan-call.ts";
import { formatUsd } from "../../core/work/spend.ts";
import type { CompareRun, CompareSummary } from "../verbs/compare.ts";
import type { FailOn } from "../../core/fail-words.ts";
import { failsOn } from "../verbs/fail-on.ts";
import type { ChangedSkill, ChangedSkills } from "./changed-skills.ts";

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

export interface CheckOptions {
  readonly cwd: string;
  readonly failOn?: FailOn | undefined;
  /** The config that a skill is measured with; undefined where it has no tasks. */
  readonly configFor: (skill: string) => Promise<Config | undefined>;
  readonly compare: (config: Config, baseline: string) => Promise<CompareRun>;
}

/** Compares each changed skill with the base, one after another; a cap in money is for all of them together. */
export async function checkSkills(
  { base, skills }: ChangedSkills,
  options: CheckOptions,
): Promise<PullRequestCheck> {
  const checks: SkillCheck[] = [];
  let spentNano = 0;
  for (const changed of skills) {
    const { check, nanoUsd = 0 } = await checkSkill(changed, { ...options, base, spentNano });
    checks.push(check);
    spentNano += nanoUsd;
  }
  return { base, failOn: options.failOn, checks };
}

interface Checked {
  readonly check: SkillCheck;
  /** What its run has booked. */
  readonly nanoUsd?: number;
}

async function checkSkill(
  { path, change }: ChangedSkill,
  { cwd, base, failOn, configFor, compare, spentNano }: CheckOptions & { base: string; spentNano: number },
): Promise<Checked> {
  const plain = (kind: "added" | "removed" | "no-tasks"): Checked => ({
    check: { skill: path, kind, fails: false },
  });
  if (change !== "changed") return plain(change);
  const config = await configFor(path);
  if (config === undefined) return plain("no-tasks");
  const capped = withoutSpent(config, spentNano);
  try {
    const run = await compare(capped, base);
    const { summary, spent, finishedBefore } = run;
    if (summary.verdict === "identical") return { check: { skill: path, kind: "unchanged", fails: false } };
    const now = finishedBefore ? 0 : (run.bought.total?.nanoUsd ?? 0);
    const fails = failsOn(summary, failOn);
    return {
      check: { skill: path, kind: "compared", summary, spentNow: formatUsd(now), fails },
      nanoUsd: spent.nanoUsd,
    };
  } catch (error) {
    if (!(error instanceof WhetstoneError) || error.code === "interrupted") throw error;
    const { message, hint } = error;
    const isFault = error.code !== "offline-miss";
    return {
      check: {
        skill: path,
        kind: "not-measured",
        fails: false,
        why: isFault ? message : "nothing is called here, and the journal does not have these results",
        ...(hint === undefined || !isFault ? {} : { next: hint }),
        ...(isFault ? { error } : { could: await sayPlan(config, base, cwd) }),
      },
    };
  }
}

/** What is left of a cap in money. */
function withoutSpent(config: Config, spentNano: number): Config {
  const usd = config.spend?.usd;
  if (usd === undefined) return config;
  return { ...config, spend: { ...config.spend, usd: Math.max(usd - spentNano / 1e9, 0) } };
}

/** For whoever has the key. */
async function sayPlan(config: Config, baseline: string, cwd: string): Promise<string> {
  const { calls, price, provable = "" } = await planCall(config, { verb: "compare", baseline, cwd });
  const range = (low: string, high: string) => (low === high ? low : `${low} to ${high}`);
  const takes = `Measuring it would take ${range(String(calls.low), String(calls.high))} calls, about ${range(formatUsd(price.low), formatUsd(price.high))}.`;
  return `${takes} ${provable}`.trim();
}
