import { z } from "zod";
import type { Json } from "../json.ts";
import { nearestWord } from "../nearest-word.ts";
import type { Invalid } from "../tasks/outcome.ts";
import type { Check } from "../tasks/task.ts";
import { rubric, asGoodAs } from "./judged-checks.ts";
import { checkedPartSchema, lookAtPart, namePart } from "./checked-part.ts";
import type { Performance } from "./performance.ts";
import { code } from "./code.ts";
import { command } from "./command.ts";
import { custom } from "./custom.ts";
import { file } from "./file.ts";
import { scoreText, textScorers } from "./score-text.ts";
import { type Scorer, type Scoring, createScorer, invalid, unread } from "./scorer.ts";
import type { Checked, CheckResult } from "./checked.ts";
import { toolCalled, toolOrder } from "./tool-calls.ts";

type ScoredCheck = Required<Omit<Checked, "unread">> & Pick<Checked, "unread">;

/** The result of a list of checks. */
export interface CheckedList {
  readonly checked: readonly ScoredCheck[];
  /** The weighted share of the scores. */
  readonly score: number;
}

/** Scores every check, and runs those with outside calls in parallel. If a check is broken, it makes no calls. */
export async function scoreChecks(
  checks: readonly Check[],
  performance: Performance,
  scoring: Scoring,
): Promise<CheckedList | Invalid> {
  const problem = checksProblem(checks);
  if (problem !== undefined) return invalid(problem);
  const verdicts = await Promise.all(checks.map((check) => scoreCheck(check, performance, scoring)));
  const checked: ScoredCheck[] = [];
  let [earned, total] = [0, 0];
  for (const [at, verdict] of verdicts.entries()) {
    const { kind = "", weight = 1 } = checks[at] ?? {};
    if ("kind" in verdict) return invalid(`check ${at + 1} (${kind}): ${verdict.reason}`);
    earned += weight * verdict.score;
    total += weight;
    checked.push(verdict);
  }
  return { checked, score: earned / total };
}

/** Describes the problem of the first broken check, without running anything. */
export function checksProblem(checks: readonly Check[]): string | undefined {
  let total = 0;
  for (const [at, { kind, value, weight = 1, on = "answer" }] of checks.entries()) {
    const scorer = scorers.get(kind);
    if (scorer === undefined) return `check ${at + 1} has the unknown kind "${kind}"${suggestKind(kind)}`;
    total += weight;
    if (!(weight > 0 && Number.isFinite(total)))
      return `check ${at + 1} has the weight ${weight}, which isn't a usable number`;
    if (!isFinite(value)) return `check ${at + 1} (${kind}): it contains a number that isn't finite`;
    if (on !== "answer" && !readsPart(kind))
      return `check ${at + 1} (${kind}): "on" is for checks of a text, such as contains, regex and rubric`;
    const read = readValue(scorer, value);
    if ("kind" in read) return `check ${at + 1} (${kind}): ${read.reason}`;
  }
  return undefined;
}

/** Nothing equals a number that overflowed, so a check can't use one. */
function isFinite(value: Json | undefined): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isFinite);
}

async function scoreCheck(
  { kind, value, negate = false, on = "answer" }: Check,
  performance: Performance,
  scoring: Scoring,
): Promise<ScoredCheck | Invalid> {
  const seen = await lookAtPart(on, performance, scoring);
  if (seen !== undefined && "kind" in seen) return seen;
  const verdict =
    seen === undefined
      ? unread("to leave a text that can be read")
      : await start({ kind, value }, seen, scoring);
  if ("kind" in verdict) return verdict;
  const { pass, score = pass ? 1 : 0 } = verdict;
  const expected = `${verdict.expected}${namePart(on)}`;
  if (verdict.unread === true) return { pass: false, score: 0, expected, unread: true };
  return negate ? { pass: !pass, score: 1 - score, expected: `not ${expected}` } : { pass, score, expected };
}

const readsPart = (kind: string): boolean =>
  textScorers.has(kind) || kind === "rubric" || kind === "as-good-as";

/** Only checks with outside calls may fail for outside reasons; any other check that throws is broken. */
function start(
  check: Pick<Check, "kind" | "value">,
  performance: Performance,
  scoring: Scoring,
): CheckResult | Promise<CheckResult> {
  const { kind, value } = check;
  try {
    if (textScorers.has(kind)) return scoreText(check, performance.text, scoring.tools.aside);
    const scorer = scorers.get(kind);
    const read = scorer === undefined ? invalid(`unknown kind "${kind}"`) : scorer.read(value);
    return scorer === undefined || "kind" in read
      ? (read as Invalid)
      : scorer.score(read.value, performance, scoring);
  } catch (error) {
    return invalid(`scoring failed: ${String(error)}`);
  }
}

function readValue(scorer: Scorer, value: Json): ReturnType<Scorer["read"]> {
  try {
    return scorer.read(value);
  } catch (error) {
    return invalid(`scoring failed: ${String(error)}`);
  }
}

interface CheckSet {
  readonly checks: readonly Check[];
  readonly threshold?: number;
}

const setSchema = z.strictObject({
  checks: z
    .array(
      z.strictObject({
        kind: z.string(),
        value: z.json(),
        weight: z.number().optional(),
        negate: z.boolean().optional(),
        on: checkedPartSchema.optional(),
      }),
    )
    .min(1),
  threshold: z.number().gt(0).max(1).optional(),
});

function createSet(
  kind: string,
  judge: (list: CheckedList, threshold?: number) => Checked,
): Scorer<CheckSet> {
  return {
    read(value) {
      const parsed = setSchema.safeParse(value);
      if (!parsed.success)
        return invalid(
          `the value of an ${kind} check must be { checks, threshold? } with checks of their own`,
        );
      const problem = checksProblem(parsed.data.checks);
      return problem === undefined ? { value: parsed.data } : invalid(problem);
    },
    async score({ checks, threshold }, performance, scoring) {
      const list = await scoreChecks(checks, performance, scoring);
      if ("kind" in list) return list;
      const judged = judge(list, threshold);
      // the part that couldn't be read may have been the deciding one
      return !judged.pass && list.checked.some((one) => one.unread) ? unread(judged.expected) : judged;
    },
  };
}

const missing = ({ checked }: CheckedList): readonly string[] =>
  checked.filter(({ pass }) => !pass).map(({ expected }) => expected);

/** All of its checks pass, or at least `threshold` of them by weight. */
const all = createSet("all", (list, threshold) => ({
  pass: threshold === undefined ? missing(list).length === 0 : list.score >= threshold,
  score: list.score,
  expected: missing(list).slice(0, 5).join("; ") || "all of a set",
}));

/** At least one of its checks passes, or scores at least `threshold`. */
const any = createSet("any", (list, threshold) => {
  const best = Math.max(...list.checked.map(({ score }) => score));
  return {
    pass: threshold === undefined ? list.checked.some(({ pass }) => pass) : best >= threshold,
    score: best,
    expected: list.checked
      .slice(0, 5)
      .map(({ expected }) => expected)
      .join(" or "),
  };
});

/** The skill was loaded (true) or not (false). Only an environment in which skills compete for a query scores this. */
const trigger = createScorer(z.boolean(), "the value of a trigger check must be true or false", () =>
  invalid("a trigger check is scored on the description track only"),
);

/** The agent loaded the skill of this name. It also passes if no such skill is installed, so that a run without the skill doesn't fail it. */
const skillLoaded = createScorer(
  z.string().min(1),
  "the value of a skill-loaded check must be the name of a skill",
  (name, { skillsLoaded, skillsInstalled = [name] }) => ({
    pass: skillsLoaded.includes(name) || !skillsInstalled.includes(name),
    expected: `to load the skill ${name}`,
  }),
);

/** A check that an importer didn't understand. It never passes and is never left out. */
const unsupported: Scorer = {
  read: (value) =>
    invalid(
      `checks of the type ${typeof value === "string" ? `"${value}"` : JSON.stringify(value)} aren't supported`,
    ),
  score: () => invalid("it isn't supported"),
};

/** Every kind of check. */
export const scorers: ReadonlyMap<string, Scorer> = new Map<string, Scorer>([
  ...textScorers,
  ["tool-called", toolCalled],
  ["tool-order", toolOrder],
  ["skill-loaded", skillLoaded],
  ["file", file],
  ["command", command],
  ["code", code],
  ["rubric", rubric],
  ["as-good-as", asGoodAs],
  ["custom", custom],
  ["all", all],
  ["any", any],
  ["trigger", trigger],
  ["unsupported", unsupported],
]);

function suggestKind(kind: string): string {
  const known = [...scorers.keys()].filter((name) => name !== "unsupported");
  const nearest = nearestWord(kind, known);
  return nearest === undefined ? `; known are ${known.join(", ")}` : `; did you mean "${nearest}"?`;
}
