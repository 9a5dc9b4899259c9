import { z } from "zod";
import { isThere, readProjectText } from "../../adapters/project-file.ts";
import { parseSource } from "../../adapters/importers/parse-source.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { CalibrationRow } from "../../core/judge/probes.ts";
import { meant } from "../../core/nearest-word.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Config } from "../schema.ts";

/** Answers graded by people, used to test the judge. */
export async function readCalibration(
  given: Config["calibration"],
  tasks: readonly Task[],
): Promise<readonly CalibrationRow[]> {
  if (given === undefined) return [];
  const source = typeof given === "string" ? given : "calibration";
  const parsed = z.array(rowSchema).safeParse(typeof given === "string" ? readRows(given) : given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const row = typeof issue?.path[0] === "number" ? `, row ${issue.path[0] + 1}` : "";
    throw refuse(`${source}${row}: ${issue?.message ?? "it isn't a list of rows"}.`, example);
  }
  const known = tasks.map(({ id }) => id);
  for (const [at, { task }] of parsed.data.entries()) {
    if (known.includes(task)) continue;
    const problem = `${source}, row ${at + 1}: unknown task "${task}".`;
    throw refuse(problem, meant(task, known, "Name a task by its id."));
  }
  return parsed.data;
}

function readRows(path: string): unknown {
  if (!isThere(path))
    throw new WhetstoneError("not-found", `Can't read the marked answers in ${path}.`, {
      hint: "Correct the path.",
    });
  return parseSource(readProjectText(path), path).data;
}

const rowSchema = z.strictObject({
  task: z.union([z.string().min(1), z.number().transform(String)], '"task" must be the id of a task'),
  answer: z.string('"answer" must be a text'),
  files: z.record(z.string(), z.string(), '"files" must be texts by path').optional(),
  good: z.union(
    [z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")],
    '"good" must be true or false',
  ),
});

const example = 'Write rows such as { "task": "1", "answer": "…", "good": true }.';

const refuse = (problem: string, hint: string): WhetstoneError =>
  new WhetstoneError("config-invalid", problem, { hint });
