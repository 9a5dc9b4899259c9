import { z } from "zod";
import { type Json, type JsonObject, asJson } from "../../core/json.ts";
import type { Check, Task } from "../../core/tasks/task.ts";
import { type EvalsOrigin, evalsKey, ownFields } from "./evals-json.ts";
import { asText, isEmpty, tasksInvalid, without } from "./shape.ts";

/**
 * Tasks as evals.json. What came from an evals.json goes back as it was, unknown fields with it; sentences of
 * other tasks become `assertions`, and what the format has no words for stands in fields of our own.
 */
export function writeEvalsJson(tasks: readonly Task[], skillName?: string): JsonObject {
  const file = originOf(tasks[0])?.file ?? (skillName === undefined ? {} : { skill_name: skillName });
  return { ...file, evals: tasks.map(writeEntry) };
}

function originOf(task: Task | undefined): EvalsOrigin | undefined {
  const parsed = originSchema.safeParse(task?.metadata?.[evalsKey]);
  return parsed.success ? parsed.data : undefined;
}

const fields = z.record(z.string(), z.json());
const originSchema = z.object({
  file: fields.optional(),
  list: z.string().optional(),
  listed: z.number(),
  refused: z.array(z.string()),
  entry: fields,
});

function writeEntry(task: Task): JsonObject {
  const origin = originOf(task);
  const { id = task.id, ...kept } = origin?.entry ?? {};
  if (task.files !== undefined && kept["files"] === undefined)
    throw tasksInvalid(
      `Task ${task.id} brings files with it, and evals.json names files by their path.`,
      "Write it with --out as JSONL, or put the files into the skill's evals/files and name them there.",
    );
  const metadata = without(task.metadata ?? {}, [evalsKey]);
  const plain = ownFields.flatMap((name) =>
    name === "checks" || task[name] === undefined ? [] : [[name, task[name] as Json] as const],
  );
  return {
    ...(id === null ? {} : { id }),
    prompt: task.input,
    ...(task.reference === undefined ? {} : { expected_output: task.reference }),
    ...(origin === undefined ? writeForeign(task) : writeChecks(task, origin)),
    ...Object.fromEntries(plain),
    ...(isEmpty(metadata) ? {} : { metadata }),
    ...kept,
  };
}

function writeChecks({ checks = [] }: Task, { list, listed, refused }: EvalsOrigin): JsonObject {
  const own = checks
    .slice(listed)
    .filter(({ kind, value }) => !(kind === "unsupported" && refused.includes(asText(value) ?? "")));
  return {
    ...(list === undefined ? {} : { [list]: checks.slice(0, listed).map(({ value }) => value) }),
    ...ownChecks(own),
  };
}

/** Sentences are for everybody, other checks for us. */
function writeForeign({ checks = [] }: Task): JsonObject {
  const sentences = checks.filter(isSentence).map(({ value }) => value);
  return {
    ...(sentences.length === 0 ? {} : { assertions: sentences }),
    ...ownChecks(checks.filter((check) => !isSentence(check))),
  };
}

const isSentence = (check: Check): boolean =>
  check.kind === "rubric" && typeof check.value === "string" && Object.keys(check).length === 2;

const ownChecks = (checks: readonly Check[]): JsonObject =>
  checks.length === 0 ? {} : { checks: asJson(checks) };
