import { z } from "zod";
import { WhetstoneError } from "../errors.ts";
import { nearestWord } from "../nearest-word.ts";
import { type Json, isObject } from "../json.ts";
import { ended } from "../one-line.ts";
import { checkedPartSchema } from "../scorers/checked-part.ts";
import { checksProblem } from "../scorers/score-checks.ts";
import { commitId } from "./commit-id.ts";
import type { Task } from "./task.ts";

export interface ParseTasksOptions {
  /** Whether tasks need answers or checks; a custom environment scores by itself. @default true */
  readonly needsScoring?: boolean;
  /** Prefix for the ids of rows without one: `row-1` and so on. @default "" */
  readonly idPrefix?: string;
}

/** Reads task rows, including the original's `{ id, question, answers }`. The first broken row throws, with the next step. */
export function parseTasks(
  rows: unknown,
  source: string,
  { needsScoring = true, idPrefix = "" }: ParseTasksOptions = {},
): readonly Task[] {
  if (!Array.isArray(rows))
    throw refuse(`${source} isn't a list of tasks.`, "Write one task per row, or a JSON array.");
  if (rows.length === 0) throw refuse(`${source} contains no tasks.`, "Add rows such as " + exampleRow);
  const rowById = new Map<string, number>();
  return rows.map((row: unknown, at) => {
    const numbered =
      isObject(row) && row["id"] === undefined ? { ...row, id: `${idPrefix}row-${at + 1}` } : row;
    const task = parseRow(numbered, `${source}, row ${at + 1}`, needsScoring);
    const earlier = rowById.get(task.id);
    if (earlier !== undefined) {
      const problem = `${source}, row ${at + 1}: row ${earlier} already has the id "${task.id}".`;
      throw refuse(problem, "Give every task an id of its own.");
    }
    rowById.set(task.id, at + 1);
    return task;
  });
}

function parseRow(row: unknown, place: string, needsScoring: boolean): Task {
  if (isDeeperThan(row, maxDepth))
    throw refuse(`${place} is nested more than ${maxDepth} levels deep.`, "Flatten it, or leave it out.");
  const parsed = rowSchema.safeParse(row);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw issue === undefined
      ? refuse(`${place} is broken.`, "Correct the row.")
      : explain(issue, row, place);
  }
  const { id, input, question, ...rest } = parsed.data;
  if (input !== undefined && question !== undefined)
    throw refuse(`${place} has both "input" and "question".`, "Keep one of them; they mean the same.");
  const asked = input ?? question;
  if (asked === undefined || asked.trim() === "")
    throw refuse(
      `${place} asks nothing: "input" is missing or empty.`,
      "Put the question for the target into `input`.",
    );
  if (rest.answers !== undefined && rest.checks !== undefined)
    throw refuse(
      `${place} has both "answers" and "checks".`,
      "Keep one of them. `checks` can express everything that `answers` can.",
    );
  if (needsScoring && rest.answers === undefined && rest.checks === undefined)
    throw refuse(
      `${place} has neither "answers" nor "checks", so nothing can score it.`,
      'Add `"answers": ["…"]`, or `"checks": [{ "kind": "contains", "value": "…" }]`.',
    );
  return { id, input: asked, ...rest };
}

/** Rows nested deeper than this are refused. */
export const maxDepth = 100;

/** Goes level by level instead of recursing, because deep nesting would overflow the stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
}

const positive = z.number("must be a number above 0").positive("must be a number above 0");
const text = z.string("must be a string");

const json = z.json();

const checkSchema = z.strictObject({
  kind: z.string('must name a kind of check, such as "contains"').min(1, "must not be empty"),
  value: z.custom<Json>(
    (value) => json.safeParse(value).success,
    "must be JSON, and every number in it finite",
  ),
  weight: positive.optional(),
  negate: z.boolean().optional(),
  on: checkedPartSchema.optional(),
});

const rowSchema = z.strictObject({
  id: z.union([z.string().min(1), z.number().transform(String)], "must be a string or a number"),
  input: text.optional(),
  question: text.optional(),
  before: z
    .array(z.strictObject({ prompt: text, answer: text }), "must be a list of { prompt, answer }")
    .optional(),
  system: text.optional(),
  answers: z
    .array(
      z.union([z.string().min(1), z.number().transform(String)], "must be a string that isn't empty"),
      'must be a list of strings, such as ["Paris"]',
    )
    .min(1, "must name at least one accepted answer")
    .optional(),
  checks: z.array(checkSchema, "must be a list of checks").min(1, "must have at least one check").optional(),
  reference: text.optional(),
  files: z.record(z.string(), z.string()).optional(),
  checkout: z.string().regex(commitId, "must be a whole commit id, as `git rev-parse` prints it").optional(),
  type: text.optional(),
  group: text.optional(),
  weight: positive.optional(),
  limits: z
    .strictObject({ seconds: positive.optional(), usd: positive.optional() }, "must be { seconds?, usd? }")
    .optional(),
  draft: z.boolean("must be true or false").optional(),
  metadata: z.record(z.string(), z.json()).optional(),
});

const exampleRow = '{"id": "1", "input": "Capital of France?", "answers": ["Paris"]}';

function explain(issue: z.core.$ZodIssue, row: unknown, place: string): WhetstoneError {
  const path = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const known = Object.keys(issue.path[0] === "checks" ? checkSchema.shape : rowSchema.shape);
    const nearest = nearestWord(key, known);
    const problem = `${place}: the key "${path === "" ? key : `${path}.${key}`}" is unknown`;
    return nearest === undefined
      ? refuse(`${problem}.`, `Known keys are ${known.join(", ")}; anything else goes into \`metadata\`.`)
      : refuse(
          `${problem}; did you mean "${nearest}"?`,
          `Rename it to "${nearest}", or move it into \`metadata\`.`,
        );
  }
  if (path === "") return refuse(`${place} isn't an object.`, `Write rows such as ${exampleRow}`);
  const [, at, field] = issue.path;
  const check = checkAt(row, at);
  if (field === "value" && check !== undefined && !("value" in check))
    return missingValue(check, `${place}: "${path}"`);
  const rule = issue.message.startsWith("must ") ? issue.message : `must be right: ${issue.message}`;
  return refuse(`${place}: "${path}" ${rule}.`, "Correct that value and run the command again.");
}

function checkAt(row: unknown, at: PropertyKey | undefined): Readonly<Record<string, unknown>> | undefined {
  const checks = isObject(row) ? row["checks"] : undefined;
  const check: unknown = Array.isArray(checks) && typeof at === "number" ? checks[at] : undefined;
  return isObject(check) ? check : undefined;
}

/** Says which value the kind of check needs. */
function missingValue({ kind }: Readonly<Record<string, unknown>>, place: string): WhetstoneError {
  const problem = typeof kind === "string" ? checksProblem([{ kind, value: null }]) : undefined;
  const rule = problem?.replace(/^check 1 \(.*?\): /, "").replace(/^check 1/, "its check");
  return refuse(
    ended(`${place} is missing${rule === undefined ? "" : `; ${rule}`}`),
    `Write the check as { "kind": ${JSON.stringify(kind)}, "value": … }.`,
  );
}

const refuse = (problem: string, hint: string): WhetstoneError =>
  new WhetstoneError("tasks-invalid", problem, { hint });
