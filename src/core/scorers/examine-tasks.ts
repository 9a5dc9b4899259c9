import { canonicalJson } from "../canonical.ts";
import { type Json, asJson } from "../json.ts";
import { describeLeak, findLeaks } from "../guard/leak.ts";
import { buildLeakIndex } from "../guard/leak-index.ts";
import { isBinary } from "../files.ts";
import type { Skill } from "../skill/skill.ts";
import { findNearDuplicates } from "../tasks/near-duplicates.ts";
import type { Check, Task } from "../tasks/task.ts";
import { normaliseAnswer } from "./normalise.ts";
import { checkTask, said, scoreTask } from "./score-task.ts";
import type { ScoringTools } from "./performance.ts";
import { canRun, isAsked, readsText } from "./runnable.ts";
import { blocksClaim, describeDegenerate, listedAdvice, tryDegenerate } from "./try-degenerate.ts";

/** A problem of the evals that makes their scores less meaningful than they seem. */
export interface EvalFinding {
  readonly problem:
    | "invalid"
    | "constant-pass"
    | "constant-fail"
    | "flaky"
    | "duplicate"
    | "leaking"
    | "degenerate"
    | "slow"
    /** A problem of recorded replies, not of tasks. */
    | "unusable";
  /** `fail`: the score is wrong. `warn`: it may be intended. `note`: good to know. */
  readonly status: "fail" | "warn" | "note";
  /** Ids. */
  readonly tasks: readonly string[];
  readonly text: string;
  /** The next step. */
  readonly next: string;
}

export interface Examination {
  readonly findings: readonly EvalFinding[];
  /** Checks that couldn't run here, by kind. */
  readonly notRun: Readonly<Record<string, number>>;
}

export interface ExamineInput {
  readonly tasks: readonly Task[];
  readonly skill: Skill;
  readonly tools: ScoringTools;
  /** Hard scores of earlier rollouts, by task id. */
  readonly rollouts?: ReadonlyMap<string, readonly number[]>;
  /** Names of checks to keep even though a degenerate answer passes them. */
  readonly waive?: readonly string[];
  /** How often to score one answer to see whether its score stays the same. @default 3 */
  readonly repeats?: number;
}

/** Tries the checks on answers whose score is known, and looks for duplicates and leaked answers. */
export async function examineTasks(input: ExamineInput): Promise<Examination> {
  const { tasks, skill, tools, rollouts = new Map<string, readonly number[]>(), repeats = 3 } = input;
  const findings: EvalFinding[] = [];
  const notRun: Record<string, number> = {};
  const examine = async (task: Task): Promise<readonly EvalFinding[]> => {
    const problem = checkTask(task);
    if (problem !== undefined) return [finding("invalid", "fail", [task.id], problem, "Fix the check.")];
    for (const check of task.checks ?? [])
      if (!canRun(check, tools)) notRun[check.kind] = (notRun[check.kind] ?? 0) + 1;
    return [
      ...(await findConstantPass(task, tools)),
      ...(await findConstantFail(task, tools)),
      ...findAlwaysFailed(task, rollouts.get(task.id) ?? []),
      ...(await findFlaky(task, tools, repeats)),
      ...findRepeatedChecks(task),
      ...findAnswerInPrompt(task),
    ];
  };
  for (let at = 0; at < tasks.length; at += atOnce)
    findings.push(...(await Promise.all(tasks.slice(at, at + atOnce).map(examine))).flat());
  findings.push(
    ...(await findDegenerate(input)),
    ...findDuplicateTasks(tasks),
    ...findGivenAway(tasks, skill),
  );
  return { findings, notRun };
}

/** Checks that uninformed answers pass, by kind of check. */
async function findDegenerate({ tasks, tools, waive }: ExamineInput): Promise<readonly EvalFinding[]> {
  const { degenerate, slow } = await tryDegenerate(tasks, tools, waive);
  const named = degenerate.map((found) => {
    const status = blocksClaim(found) ? "fail" : found.knows === "nothing" ? "warn" : "note";
    const next = {
      fail: `Add a check that only a good answer passes. Until then no claim is made, unless you keep the check anyway: --waive "${found.check}".`,
      warn: "It is waived, so claims are made anyway.",
      note: listedAdvice,
    }[status];
    return finding("degenerate", status, found.passed, describeDegenerate(found), next);
  });
  if (slow.length === 0) return named;
  const text = "a check takes more than a second on some answers, and fails them";
  return [
    ...named,
    finding("slow", "warn", slow, text, "Rewrite its pattern without overlapping repetitions."),
  ];
}

/** Tasks to examine at the same time. */
const atOnce = 8;

const finding = (
  problem: EvalFinding["problem"],
  status: EvalFinding["status"],
  tasks: readonly string[],
  text: string,
  next: string,
): EvalFinding => ({ problem, status, tasks, text, next });

const nonsense = "Lorem ipsum dolor sit amet, consectetur adipiscing elit.";

/** Checks that pass any answer. */
async function findConstantPass(task: Task, tools: ScoringTools): Promise<readonly EvalFinding[]> {
  const { checks = [] } = task;
  if (checks.length === 0 || !checks.every((check) => canRun(check, tools))) return [];
  const passes = async (given: readonly Check[], text: string) =>
    (await hardOf({ ...task, checks: given }, text, tools)) === 1;
  const passesAll = async (given: readonly Check[]) =>
    (await passes(given, "")) && (await passes(given, task.input)) && (await passes(given, nonsense));
  if (await passesAll(checks)) {
    const text = "an empty answer, nonsense and the prompt itself all pass";
    return [finding("constant-pass", "fail", [task.id], text, "Add a check that only a good answer passes.")];
  }
  const found: EvalFinding[] = [];
  if (await passes(checks, task.input)) {
    const text = "the prompt itself, repeated as the answer, passes";
    const next = "Check for something that the prompt doesn't say.";
    found.push(finding("leaking", "warn", [task.id], text, next));
  }
  if (checks.length === 1) return found;
  for (const [at, check] of checks.entries()) {
    if (forbids(check) || !(await passesAll([check]))) continue;
    const text = `check ${at + 1} (${check.kind}) passes for an empty answer, nonsense and the prompt itself`;
    found.push(finding("constant-pass", "warn", [task.id], text, "Remove it, or make it require something."));
  }
  return found;
}

/** Checks that forbid something. An empty answer passes them, and should. */
function forbids({ kind, value, negate = false }: Check): boolean {
  const fields = Object(value) as Readonly<Record<string, Json | undefined>>;
  if (kind === "file") return negate !== (fields["exists"] === false);
  if (kind === "tool-called")
    return negate || (fields["atMost"] !== undefined && fields["atLeast"] === undefined);
  return negate;
}

/** Checks that fail even for an answer that the task calls good. Only for checks of text: no good workspace is known. */
async function findConstantFail(task: Task, tools: ScoringTools): Promise<readonly EvalFinding[]> {
  const { checks = [], reference, metadata } = task;
  const ofWords = checks.filter((check) => readsText(check) && canRun(check, tools));
  if (ofWords.length === 0) return [];
  const exact = checks.flatMap(({ kind, value, negate = false }) =>
    kind === "exact" && !negate && typeof value === "string" ? [value] : [],
  );
  const expected = metadata?.["expected_output"];
  const given = [reference, expected].filter(
    (text): text is string => typeof text === "string" && text !== "",
  );
  for (const [candidates, status, text] of [
    [exact, "fail", "the answer that its exact check wants fails its other checks"],
    [given, "warn", "its own reference fails"],
  ] as const) {
    const missed = await Promise.all(candidates.map((answer) => firstMissed(task, ofWords, answer, tools)));
    const [first] = missed;
    if (first === undefined || missed.includes(undefined)) continue;
    const next =
      status === "fail"
        ? "Remove the contradiction."
        : "Fix the check. If the reference is a remark and not an answer, ignore this.";
    return [finding("constant-fail", status, [task.id], `${text}: ${first}`, next)];
  }
  return [];
}

async function firstMissed(
  task: Task,
  checks: readonly Check[],
  answer: string,
  tools: ScoringTools,
): Promise<string | undefined> {
  const score = await scoreTask({ ...task, checks }, said(answer, task), tools);
  if ("kind" in score) return score.reason;
  return score.hard === 1 ? undefined : score.feedback;
}

const fewRollouts = 5;

function findAlwaysFailed({ id }: Task, rollouts: readonly number[]): readonly EvalFinding[] {
  if (rollouts.length < fewRollouts || rollouts.some((hard) => hard > 0)) return [];
  const text = `failed in all ${rollouts.length} rollouts on record`;
  return [finding("constant-fail", "warn", [id], text, "See whether any answer could pass. If not, fix it.")];
}

/** Checks that score the same answer differently. */
async function findFlaky(task: Task, tools: ScoringTools, repeats: number): Promise<readonly EvalFinding[]> {
  const found: EvalFinding[] = [];
  for (const [at, check] of (task.checks ?? []).entries()) {
    if (!isAsked(check) || !canRun(check, tools)) continue;
    const performance = said(task.reference ?? task.input, task);
    const scores: number[] = [];
    for (let nth = 0; nth < repeats; nth += 1) {
      const score = await scoreTask({ ...task, checks: [check] }, performance, tools);
      if ("kind" in score) {
        found.push(finding("invalid", "fail", [task.id], score.reason, "Fix the check."));
        break;
      }
      scores.push(score.soft);
    }
    const spread = Math.max(...scores) - Math.min(...scores);
    if (!(spread > maxSpread)) continue;
    const text = `check ${at + 1} (${check.kind}) scored one answer ${scores.map((score) => Number(score.toFixed(2))).join(", ")}`;
    const next = "Make it depend on the answer alone: no clock, no randomness, an unambiguous rubric.";
    found.push(finding("flaky", "fail", [task.id], text, next));
  }
  return found;
}

/** Judges round their scores; a larger difference is another verdict. */
const maxSpread = 0.25;

function findRepeatedChecks({ id, checks = [] }: Task): readonly EvalFinding[] {
  const seen = new Map<string, number>();
  return checks.flatMap(({ kind, value, negate = false, on = "answer" }, at) => {
    const key = canonicalJson({ kind, value, negate, on: asJson(on) });
    const first = seen.get(key);
    if (first === undefined) seen.set(key, at);
    if (first === undefined) return [];
    const text = `check ${at + 1} (${kind}) is check ${first + 1} again, so it counts twice`;
    return [finding("duplicate", "warn", [id], text, "Remove one. If it should count more, set `weight`.")];
  });
}

/** A short answer may be in a prompt as one of several choices; a sentence isn't there by chance. */
function findAnswerInPrompt({
  id,
  input,
  system = "",
  answers = [],
  checks = [],
}: Task): readonly EvalFinding[] {
  const prompt = normaliseAnswer(`${input}\n${system}`);
  const wanted = [
    ...answers,
    ...checks.flatMap(({ kind, value }) => (kind === "exact" && typeof value === "string" ? [value] : [])),
  ];
  const [given] = wanted
    .map(normaliseAnswer)
    .filter((answer) => answer.split(" ").length >= 4 && ` ${prompt} `.includes(` ${answer} `));
  if (given === undefined) return [];
  const text = `the prompt contains the answer: ${JSON.stringify(given)}`;
  return [finding("leaking", "warn", [id], text, "Take it out, unless finding it there is the task.")];
}

function findDuplicateTasks(tasks: readonly Task[]): readonly EvalFinding[] {
  return findNearDuplicates(tasks).map(({ first, second, similarity }) => {
    const ids = [tasks[first]?.id ?? "", tasks[second]?.id ?? ""];
    const share =
      similarity === 1 ? "ask the same" : `ask nearly the same (${Math.round(100 * similarity)}%)`;
    const next = "Keep one of them, or give both the same `group`.";
    return finding("duplicate", "warn", ids, share, next);
  });
}

const maxLeaks = 20;

/** Answers that the skill contains, although only the checks should know them. */
function findGivenAway(tasks: readonly Task[], skill: Skill): readonly EvalFinding[] {
  const index = buildLeakIndex(tasks);
  const found = new Map<string, EvalFinding>();
  for (const [path, content] of Object.entries(skill.files)) {
    if (isBinary(content)) continue;
    for (const leak of findLeaks(content, index)) {
      if (found.size >= maxLeaks) break;
      const place = `${path} ${leak.taskId} ${leak.field}`;
      if (found.has(place)) continue;
      const text = `${path} gives it away. ${describeLeak(leak)}`;
      const next = "Take it out of the skill, or replace the task: its score shows memory, not ability.";
      found.set(place, finding("leaking", "fail", [leak.taskId], text, next));
    }
  }
  return [...found.values()];
}

async function hardOf(task: Task, text: string, tools: ScoringTools): Promise<number> {
  const score = await scoreTask(task, said(text, task), tools);
  return "kind" in score ? 0 : score.hard;
}
