import { z } from "zod";
import type { CommandRequest, CommandRun } from "../ports/command.ts";
import type { Task } from "../tasks/task.ts";
import { parseJson } from "./json.ts";
import type { Performance } from "./performance.ts";
import { type Scorer, createScorer, invalid, quote } from "./scorer.ts";
import type { CheckResult } from "./checked.ts";

const valueSchema = z.strictObject({
  run: z.union([
    z
      .string()
      .min(1)
      .transform((line) => ["sh", "-c", line]),
    z.array(z.string()).min(1),
  ]),
  files: z.record(z.string().min(1), z.string()).optional(),
  seconds: z.number().positive().max(3600).default(60),
  threshold: z.number().gt(0).max(1).default(1),
});

/**
 * A grader on a copy of the workspace exits with code 0. It can then print `{ score }` or `{ pass }` as JSON on its last
 * line. That can only lower the verdict, because the agent's own code may have printed it.
 */
export const command: Scorer<z.output<typeof valueSchema>> = createScorer(
  valueSchema,
  "the value of a command check must be { run, files?, seconds?, threshold? } with `run` a line for the shell or a list of arguments",
  async ({ run, files, seconds, threshold }, performance, { task, tools }): Promise<CheckResult> => {
    if (tools.command === undefined)
      return invalid("a command check needs a sandbox, and this machine has none");
    const grader = files === undefined ? {} : { grader: files };
    const ended = await tools.command({ argv: run, ...workspaceOf(performance, task), ...grader, seconds });
    return judgeRun(ended, run, threshold);
  },
);

/** For a sandbox: the files as the agent left them, on top of the checkout that it started from. */
export const workspaceOf = (
  { files, deleted = [] }: Performance,
  { checkout }: Task,
): Pick<CommandRequest, "files" | "checkout" | "deleted"> => ({
  files,
  checkout,
  ...(checkout === undefined || deleted.length === 0 ? {} : { deleted }),
});

function judgeRun(run: CommandRun, argv: readonly string[], threshold: number): CheckResult {
  const name = quote(argv[0] === "sh" && argv[1] === "-c" ? (argv[2] ?? "") : argv.join(" "));
  const fail = (why: string): CheckResult => ({ pass: false, expected: `to pass ${name} (${why})` });
  if (run.ended !== "exit") return fail(limitWords[run.ended]);
  if (run.exitCode !== 0) {
    const said = lastLine(run.stderr) || lastLine(run.stdout);
    return fail(`exit code ${run.exitCode ?? "none"}${said === "" ? "" : `: ${quote(said)}`}`);
  }
  const said = reportSchema.safeParse(parseJson(lastLine(run.stdout))?.value);
  if (!said.success) return { pass: true, expected: `to pass ${name}` };
  const { pass = true, score = pass ? 1 : 0, reason } = said.data;
  if (!(score >= 0 && score <= 1))
    return invalid(`the command printed the score ${score}, which isn't from 0 to 1`);
  const because = reason === undefined ? "" : `: ${quote(reason)}`;
  return {
    pass: pass && score >= threshold,
    score: pass ? score : Math.min(score, 0),
    expected: `to pass ${name} (score ${score}${because})`,
  };
}

const reportSchema = z
  .object({
    // a number that overflowed is refused with a message below, not ignored
    score: z.custom<number>((score) => typeof score === "number").optional(),
    pass: z.boolean().optional(),
    reason: z.string().optional(),
  })
  .refine(({ score, pass }) => score !== undefined || pass !== undefined);

export const limitWords: Readonly<Record<Exclude<CommandRun["ended"], "exit">, string>> = {
  time: "it ran out of time",
  memory: "it used too much memory",
  processes: "it started too many processes",
  disk: "it wrote too much",
};

export const lastLine = (text: string): string => text.trimEnd().split(/\r?\n/).at(-1)?.trim() ?? "";
