import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { journalPlace } from "../../config/journal-place.ts";
import { type Config, defaultSpend } from "../../config/schema.ts";
import { readSkill } from "../../config/files/read-skill.ts";
import { taskFiles } from "../../config/files/read-tasks.ts";
import { agentNameOf } from "../../config/resolve/agent-name.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { guardImports } from "../../config/trust/guard-imports.ts";
import type { RunEvent } from "../../core/events.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { surveyCode } from "../trust/survey.ts";
import { planCall } from "../verbs/plan-call.ts";
import { formatUsd } from "../../core/work/spend.ts";
import type { CompareRun, CompareSummary } from "../verbs/compare.ts";
import type { FailOn } from "../../core/fail-words.ts";
import { failsOn } from "../verbs/fail-on.ts";
import type { ChangedSkill, ChangedSkills } from "./changed-skills.ts";
import type { BaseCommit } from "./base-commit.ts";
import { type ChangedInput, changedInputs, readFromCheckout, touchedFiles } from "./changed-inputs.ts";
import { refuseTrackedJournal } from "./refuse-tracked-journal.ts";

/** What became of one skill of a pull request. */
export type SkillCheck = {
  readonly skill: string;
  readonly fails: boolean;
  /** What the branch changes of that which the skill is measured by; nothing of it is used. */
  readonly changed?: readonly ChangedInput[];
} & (
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
  /** Where config, tasks, checks and code come from. */
  readonly base: BaseCommit;
  /** The base commit's config for a skill. */
  readonly configFor: (skill: string) => Promise<Config>;
  readonly compare: (config: Config, baseline: Skill, onEvent: OnEvent) => Promise<CompareRun>;
}

/** Compares each changed skill with the base, one after another; a cap in money is for all of them together. */
export async function checkSkills(
  { base: commit, skills }: ChangedSkills,
  options: CheckOptions,
): Promise<PullRequestCheck> {
  const checks: SkillCheck[] = [];
  const purse = openPurse();
  // a module is loaded once, for whichever skill comes first
  const code = new Set<string>();
  const touched = skills.length === 0 ? [] : await touchedFiles(options.cwd, commit);
  for (const changed of skills) checks.push(await checkSkill(changed, { ...options, purse, code, touched }));
  return { base: commit, failOn: options.failOn, checks };
}

/** What the checks of one pull request share. */
interface Shared extends CheckOptions {
  readonly purse: Purse;
  readonly code: Set<string>;
  readonly touched: readonly string[];
}

/** With the base commit's config, tasks, checks and code: of the branch only the skill's own text is taken. */
async function checkSkill({ path, change }: ChangedSkill, shared: Shared): Promise<SkillCheck> {
  const { base, failOn, configFor } = shared;
  const plain = (kind: "added" | "removed" | "unchanged" | "no-tasks"): SkillCheck => ({
    skill: path,
    kind,
    fails: false,
  });
  if (change !== "changed") return plain(change);
  const guard = guardImports();
  let config: Config | undefined;
  try {
    config = await configFor(path);
    // scorers too, with all that they import: they are loaded later, in threads
    await surveyCode(config, base.cwd);
  } catch (error) {
    return notMeasured(path, error, { shared });
  } finally {
    guard.release();
  }
  for (const file of guard.files.keys()) if (!file.endsWith(".json")) shared.code.add(file);
  const loaded = [...new Set([...guard.files.keys(), ...shared.code])];
  const facts = { cwd: base.cwd, skill: path, config, loaded, touched: shared.touched };
  const changed = await changedInputs({ ...facts, touched: facts.touched.map(base.inBase) });
  const measure = async (): Promise<SkillCheck> => {
    if (config.tasks === undefined) return plain("no-tasks");
    refuseReach(config, await readFromCheckout(facts));
    const { summary, spentNow } = await compareWith(config, path, shared);
    return summary.verdict === "identical"
      ? plain("unchanged")
      : { skill: path, kind: "compared", summary, spentNow, fails: failsOn(summary, failOn) };
  };
  const check = await measure().catch((error: unknown) => notMeasured(path, error, { config, shared }));
  return changed.length === 0 ? check : { ...check, changed };
}

/** The skill's text of the branch against that of the base commit. */
async function compareWith(config: Config, path: string, shared: Shared) {
  const { cwd, base, compare, purse } = shared;
  const spent = purse.spentNano();
  await refuseTrackedJournal(journalPlace(config.journal, cwd).journalDir);
  const [before, after] = await readPair(config, path, cwd, base);
  const { summary } = await compare(purse.cap({ ...config, skill: after }), before, purse.hear);
  return { summary, spentNow: formatUsd(purse.spentNano() - spent) };
}

async function readPair({ tasks, skillFiles = [] }: Config, path: string, cwd: string, base: BaseCommit) {
  const graders = await taskFiles(tasks, base.cwd);
  const except = [...graders, ...graders.map(base.inBase), ...graders.map(base.inCheckout)];
  const read = (place: string) =>
    readSkill(place, { more: skillFiles.filter((name) => existsSync(join(place, name))), except });
  return [await read(join(base.cwd, path)), await read(join(await realpath(cwd), path))] as const;
}

/** Of a branch nothing may run, or read what it wants, where a key could be seen. */
function refuseReach({ sandbox, target, agents }: Config, read?: string): void {
  const isAgent = typeof target !== "string" || agentNameOf(target, { agents }) !== undefined;
  if (sandbox === "none" && isAgent)
    throw new WhetstoneError(
      "config-invalid",
      `The config says "sandbox": "none", so an agent would run scripts of the pull request where keys can be seen.`,
      { hint: "Use another sandbox, such as --sandbox bubblewrap." },
    );
  if (read !== undefined)
    throw new WhetstoneError(
      "config-invalid",
      `The base commit's config reads ${read} from the checkout, and the pull request changes that.`,
      { hint: "Write the path relative to the config file, on the base branch." },
    );
}

async function notMeasured(
  skill: string,
  error: unknown,
  { config, shared }: { readonly config?: Config; readonly shared: Shared },
): Promise<SkillCheck> {
  const told = withoutFolder(error, shared.base);
  const { code, message: why, hint: next } = told;
  const missed = { skill, kind: "not-measured", fails: false } as const;
  if (code !== "offline-miss" || config === undefined)
    return { ...missed, why, ...(next === undefined ? {} : { next }), error: told };
  const offline = "nothing is called here, and the journal does not have these results";
  return { ...missed, why: offline, could: await sayPlan(skill, config, shared) };
}

/** Names files of the base commit as the project does: their folder is gone when somebody reads it. Other errors are thrown. */
function withoutFolder(error: unknown, { cwd }: BaseCommit): WhetstoneError {
  if (!(error instanceof WhetstoneError) || error.code === "interrupted") throw error;
  const { code, message, hint } = error;
  const named = (text: string) => text.replaceAll(`${cwd}${sep}`, "");
  return new WhetstoneError(code, named(message), {
    cause: error,
    ...(hint === undefined ? {} : { hint: named(hint) }),
  });
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
async function sayPlan(path: string, config: Config, { cwd, base }: Shared): Promise<string> {
  const [baseline, skill] = await readPair(config, path, cwd, base);
  const plan = { verb: "compare", baseline, cwd: base.cwd } as const;
  const { calls, price, provable = "" } = await planCall({ ...config, skill }, plan);
  const range = (low: string, high: string) => (low === high ? low : `${low} to ${high}`);
  const takes = `Measuring it would take ${range(String(calls.low), String(calls.high))} calls, about ${range(formatUsd(price.low), formatUsd(price.high))}.`;
  return `${takes} ${provable}`.trim();
}
