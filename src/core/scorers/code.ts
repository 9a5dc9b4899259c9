import { z } from "zod";
import { isObject } from "../json.ts";
import type { CommandRun } from "../ports/command.ts";
import { lastLine, limitWords, workspaceOf } from "./command.ts";
import { codeRunners } from "./code-runners.ts";
import { parseJson } from "./json.ts";
import { createScorer, invalid, quote, unread } from "./scorer.ts";
import type { CheckResult } from "./checked.ts";

const valueSchema = z.strictObject({
  language: z.enum(["javascript", "python"]),
  code: z.string().min(1),
  /** The code is a whole file of this name, whose function is called. */
  file: z
    .string()
    .regex(/^[\w-][\w.-]*$/)
    .optional(),
  call: z.string().min(1).optional(),
  context: z.record(z.string(), z.json()).default({}),
  threshold: z.number().optional(),
  seconds: z.number().positive().max(3600).default(60),
});

/**
 * JavaScript or Python in the sandbox returns true, a number above 0 (or at least `threshold`), or `{ pass, score?, reason? }`. The code gets
 * `output` and `context`. It is an expression or a function's body, or with `file` a whole file whose function `call` is called. Code that throws fails.
 */
export const code = createScorer(
  valueSchema,
  'the value of a code check must be { language, code, file?, call?, context?, threshold?, seconds? } with the language "javascript" or "python"',
  async ({ language, context, threshold, seconds, ...given }, performance, { task, tools }) => {
    if (tools.command === undefined)
      return invalid(`a code check runs ${language} in a sandbox, and this machine has none`);
    const { program, name, text } = codeRunners[language];
    const { text: output, toolCalls, skillsLoaded } = performance;
    const metadata = { toolCalls, skillCalls: skillsLoaded.map((skill) => ({ name: skill })) };
    const seen = { ...context, metadata, providerResponse: { output, metadata } };
    const grader = {
      ...(given.file === undefined ? {} : { [given.file]: given.code }),
      "input.json": JSON.stringify({ ...given, output, context: seen }),
      [name]: text,
    };
    const argv = [program, `$GRADER/${name}`];
    const run = await tools.command({ argv, ...workspaceOf(performance, task), grader, seconds });
    const named = `${language} ${quote(given.file ?? given.code)}`;
    if (run.ended === "exit" && (run.exitCode === 126 || run.exitCode === 127))
      return invalid(`the sandbox has no ${program}, which the ${named} needs`);
    return judgeRun(run, named, threshold);
  },
);

/** Code without a result fails, even if the check is negated. Code that can't even be loaded is a broken check. */
function judgeRun(run: CommandRun, named: string, threshold?: number): CheckResult {
  const fail = (why: string): CheckResult => unread(`to pass the ${named} (${why})`);
  if (run.ended !== "exit") return fail(limitWords[run.ended]);
  const report = parseJson(lastLine(run.stdout))?.value;
  if (run.exitCode !== 0 || !isObject(report))
    return fail(`exit code ${run.exitCode ?? "none"}: ${quote(lastLine(run.stderr))}`);
  const { broken, threw, result = null } = report as Readonly<Record<string, unknown>>;
  if (broken !== undefined) return invalid(`the ${named} can't be loaded: ${shown(broken)}`);
  if (threw !== undefined) return fail(`it threw ${shown(threw)}`);
  // Python's dataclasses write `pass_`
  const { pass_, pass = pass_, score = result, reason } = isObject(result) ? result : { pass: result };
  const passed =
    typeof result === "number" ? (threshold === undefined ? result > 0 : result >= threshold) : pass;
  if (typeof passed !== "boolean")
    return fail(`it returned ${shown(result)} instead of true, false, a number or { pass }`);
  const points = typeof score === "number" ? score : Number(passed);
  const because = typeof reason === "string" ? `: ${quote(reason)}` : "";
  return {
    pass: passed,
    score: Math.min(Math.max(points, 0), 1),
    expected: `to pass the ${named} (score ${points}${because})`,
  };
}

const shown = (value: unknown): string => quote(typeof value === "string" ? value : JSON.stringify(value));
