import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { journalPlace } from "../../config/journal-place.ts";
import { type Config, defaultSpend } from "../../config/schema.ts";
import { readEnv } from "../../config/env.ts";
import { readSkill } from "../../config/files/read-skill.ts";
import { taskFiles, taskPaths, taskScorers } from "../../config/files/read-tasks.ts";
import { loadConfigData } from "../../config/load.ts";
import { agentNameOf } from "../../config/resolve/agent-name.ts";
import { findDestinations } from "../../config/trust/find-destinations.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { guardImports } from "../../config/trust/guard-imports.ts";
import type { RunEvent } from "../../core/events.ts";
import { gateSettings, measureSettings } from "../../core/settings.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { newDestinations } from "../trust/differences.ts";
import { surveyCode } from "../trust/survey.ts";
import { planCall } from "../verbs/plan-call.ts";
import { formatUsd } from "../../core/work/spend.ts";
import type { CompareRun, CompareSummary } from "../verbs/compare.ts";
import type { FailOn } from "../../core/fail-words.ts";
import { failsOn } from "../verbs/fail-on.ts";
import type { ChangedSkill, ChangedSkills } from "./changed-skills.ts";
import type { BaseCommit } from "./base-commit.ts";
import { type ChangedInput, changedInputs, readFromCheckout, touchedFiles } from "./changed-inputs.ts";
import { configForSkill, nearestConfig } from "./own-config.ts";
import { refuseTrackedJournal } from "./refuse-tracked-journal.ts";

/** The result for one skill of a pull request. */
export type SkillCheck = {
  readonly skill: string;
  readonly fails: boolean;
  /** Set if the branch also changes files used to measure the skill. */
  readonly own?: OwnInputs;
} & (
  | {
      readonly kind: "compared";
      readonly summary: CompareSummary;
      /** The US dollars spent on it now, as a readable text. */
      readonly spentNow: string;
    }
  /** There's nothing to compare, and nothing is wrong. */
  | { readonly kind: "added" | "removed" | "unchanged" | "no-tasks" }
  /** It wasn't measured, because a key is missing or something failed. */
  | {
      readonly kind: "not-measured";
      readonly why: string;
      readonly next?: string;
      /** The cost of measuring it and what that could show, if known. */
      readonly could?: string;
      /** Set if it's a fault, not just missing keys. */
      readonly error?: WhetstoneError;
    }
);

/** The branch's changes to the files its skill is measured with. Its author chose that exam, so nothing here is a proof. */
export interface OwnInputs {
  readonly changed: readonly ChangedInput[];
  /** From a comparison with these. */
  readonly figures?: Figures;
  readonly spentNow?: string;
  /** Why they weren't used for a comparison. */
  readonly why?: string;
}

/** The figures of a comparison, without a verdict. */
export type Figures = Pick<
  CompareSummary,
  | "run"
  | "tasks"
  | "trials"
  | "before"
  | "after"
  | "lost"
  | "perRollout"
  | "detectable"
  | "detectableOnSome"
  | "cost"
> & { readonly claim?: Pick<NonNullable<CompareSummary["claim"]>, "difference" | "interval" | "constant"> };

export interface PullRequestCheck {
  /** The commit used as baseline. */
  readonly base: string;
  readonly failOn?: FailOn | undefined;
  readonly checks: readonly SkillCheck[];
}

/** Receives an event, and returns it as it may be shown. */
type OnEvent = (event: RunEvent) => RunEvent;

export interface CheckOptions {
  readonly cwd: string;
  readonly failOn?: FailOn | undefined;
  /** The source of config, tasks, checks and code. */
  readonly base: BaseCommit;
  /** The base commit's config for a skill. */
  readonly configFor: (skill: string) => Promise<Config>;
  readonly compare: (config: Config, baseline: Skill, onEvent: OnEvent) => Promise<CompareRun>;
}

/** Compares each changed skill with the base, one after another; a cap in money covers all of them together. */
export async function checkSkills(
  { base: commit, skills }: ChangedSkills,
  options: CheckOptions,
): Promise<PullRequestCheck> {
  const checks: SkillCheck[] = [];
  const purse = openPurse();
  // a module is loaded only once, for the first skill that needs it
  const code = new Set<string>();
  const touched = skills.length === 0 ? [] : await touchedFiles(options.cwd, commit);
  for (const changed of skills) checks.push(await checkSkill(changed, { ...options, purse, code, touched }));
  return { base: commit, failOn: options.failOn, checks };
}

/** Shared by the checks of one pull request. */
interface Shared extends CheckOptions {
  readonly purse: Purse;
  readonly code: Set<string>;
  readonly touched: readonly string[];
}

/** Uses the base commit's config, tasks, checks and code; only the skill's own text comes from the branch. */
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
    // load scorers too, with their imports, because threads load them later
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
  if (changed.length === 0) return check;
  const isSame = check.kind === "unchanged";
  const own = isSame
    ? {}
    : await compareOwn(changed, config, path, shared).catch((error: unknown) => whyNot(error, base));
  return { ...check, own: { changed, ...own } };
}

/** Compares the skill's text in the branch with that in the base commit. */
async function compareWith(config: Config, path: string, shared: Shared, shown: OnEvent = (event) => event) {
  const { cwd, base, compare, purse } = shared;
  const spent = purse.spentNano();
  await refuseTrackedJournal(journalPlace(config.journal, cwd).journalDir);
  const [before, after] = await readPair(config, path, cwd, base);
  const { summary } = await compare(purse.cap({ ...config, skill: after }), before, (event) => {
    purse.hear(event);
    return shown(event);
  });
  return { summary, spentNow: formatUsd(purse.spentNano() - spent) };
}

async function readPair({ tasks, skillFiles = [] }: Config, path: string, cwd: string, base: BaseCommit) {
  const graders = await taskFiles(tasks, base.cwd);
  const except = [...graders, ...graders.map(base.inBase), ...graders.map(base.inCheckout)];
  const read = (place: string) =>
    readSkill(place, { more: skillFiles.filter((name) => existsSync(join(place, name))), except });
  return [await read(join(base.cwd, path)), await read(join(await realpath(cwd), path))] as const;
}

/** Nothing from a branch may run, or read files of its choice, in reach of a key. */
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

/** The same with the branch's changes, as far as they are data: its code doesn't run, and its hosts aren't called. */
async function compareOwn(
  changed: readonly ChangedInput[],
  config: Config,
  path: string,
  shared: Shared,
): Promise<Omit<OwnInputs, "changed">> {
  const { cwd, base } = shared;
  const code = changed.filter(
    ({ kind, file }) => kind !== "tasks" && kind !== "judge" && !file.endsWith(".json"),
  );
  if (code.length > 0)
    return { why: `${code.map(({ file }) => file).join(", ")}: a pull request's code doesn't run here` };
  if (config.sandbox === "none") return { why: `its tasks' commands would run without a sandbox` };
  const written = await loadConfigData(cwd, nearestConfig(cwd, path));
  // its report has a verdict, so it must not replace the other report, or be mistaken for it
  const { tasks, skill: _, out: __, ...rest } = config;
  // a config that is code comes from the base commit
  const known =
    written.code === undefined
      ? written.config
      : { tasks: typeof tasks === "string" ? base.inCheckout(tasks) : tasks };
  const named = Object.fromEntries(Object.entries(known).filter(([key]) => measuringKeys.has(key)));
  const own = configForSkill({ ...rest, ...named }, path, await realpath(cwd));
  const sends = newDestinations(findDestinations(own, readEnv()), findDestinations(config, readEnv()));
  if (sends.length > 0) return { why: `its config would mean ${sends.join(" and ")}` };
  if (own.tasks === undefined) return { why: "it has no tasks" };
  const { calibration } = own;
  const read = [...taskPaths(own.tasks), ...(typeof calibration === "string" ? [calibration] : [])];
  // don't read files of this machine, or code that the base commit doesn't have
  const foreign = [
    ...read.filter((file) => base.inBase(file) === file),
    ...(await taskScorers(own.tasks, base.cwd)).filter((file) => base.inCheckout(file) === file),
  ];
  if (foreign.length > 0) return { why: `it names ${foreign.join(", ")}, which isn't read here` };
  const { summary, spentNow } = await compareWith(own, path, shared, withoutVerdict);
  return { figures: figuresOf(summary), spentNow };
}

/** Settings that decide how a skill is measured, but not what is started, where data is sent or what may be spent. */
const measuringKeys = new Set(
  "skill tasks split splitNames skipInvalid drop leaveOut waive calibration skillFiles target judge temperature targetMaxTokens"
    .split(" ")
    .concat(Object.keys(gateSettings), Object.keys(measureSettings)),
);

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
  const offline = "no calls are made here, and the journal doesn't have these results";
  return { ...missed, why: offline, could: await sayPlan(skill, config, shared) };
}

const whyNot = (error: unknown, base: BaseCommit): Pick<OwnInputs, "why"> => ({
  why: withoutFolder(error, base).message,
});

/** Names files of the base commit relative to the project, because their folder is temporary. Throws other errors. */
function withoutFolder(error: unknown, { cwd }: BaseCommit): WhetstoneError {
  if (!(error instanceof WhetstoneError) || error.code === "interrupted") throw error;
  const { code, message, hint } = error;
  const named = (text: string) => text.replaceAll(`${cwd}${sep}`, "");
  return new WhetstoneError(code, named(message), {
    cause: error,
    ...(hint === undefined ? {} : { hint: named(hint) }),
  });
}

function figuresOf({ claim, ...summary }: CompareSummary): Figures {
  const { run, tasks, trials, before, after, lost, perRollout, detectable, detectableOnSome, cost } = summary;
  const known = { run, tasks, trials, before, after, lost, perRollout, cost };
  const figures = { ...known, detectable, detectableOnSome };
  if (claim === undefined) return figures;
  const { difference, interval, constant } = claim;
  return { ...figures, claim: { difference, interval, constant } };
}

/** The last event of a run contains its verdict, in words and as data. */
function withoutVerdict(event: RunEvent): RunEvent {
  if (event.type !== "run-end" || event.status !== "done") return event;
  const { summary: _, ...rest } = event;
  return {
    ...rest,
    message: "This comparison used files that the pull request itself changes, so it proves nothing.",
  };
}

/** The shared budget of all comparisons of one check. */
interface Purse {
  /** Receives what a comparison books, even if it fails. */
  readonly hear: (event: RunEvent) => void;
  /** The amount booked now, without earlier executions of the runs. */
  spentNano(): number;
  /** A config with the rest of its cap in money. */
  cap(config: Config): Config;
}

function openPurse(): Purse {
  let spentNano = 0;
  /** Set during a run. */
  let already: number | undefined;
  return {
    hear(event) {
      if (event.type === "run-start") already = event.spent.nanoUsd;
      if (event.type === "run-end" && already !== undefined) {
        spentNano += event.cost.nanoUsd - already;
        already = undefined;
      }
      // a call that was in flight when the run stopped is paid for too
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

/** The plan, for somebody who has the key. */
async function sayPlan(path: string, config: Config, { cwd, base }: Shared): Promise<string> {
  const [baseline, skill] = await readPair(config, path, cwd, base);
  const plan = { verb: "compare", baseline, cwd: base.cwd } as const;
  const { calls, price, provable = "" } = await planCall({ ...config, skill }, plan);
  const range = (low: string, high: string) => (low === high ? low : `${low} to ${high}`);
  const takes = `Measuring it would take ${range(String(calls.low), String(calls.high))} calls, about ${range(formatUsd(price.low), formatUsd(price.high))}.`;
  return `${takes} ${provable}`.trim();
}
