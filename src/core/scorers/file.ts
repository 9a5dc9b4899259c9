import { z } from "zod";
import { isBinary } from "../files.ts";
import { patternProblem, patternSchema } from "./pattern.ts";
import type { Invalid } from "../tasks/outcome.ts";
import { workspaceOf } from "./command.ts";
import { scoreText } from "./score-text.ts";
import type { Performance, ScoringTools } from "./performance.ts";
import { type Scorer, type Scoring, invalid, quote } from "./scorer.ts";
import type { CheckResult } from "./checked.ts";

const valueSchema = z
  .strictObject({
    path: z.string().min(1),
    exists: z.boolean().default(true),
    equals: z.string().optional(),
    contains: z.string().min(1).optional(),
    matches: patternSchema.optional(),
  })
  .refine(({ exists, equals, contains, matches }) => exists || (equals ?? contains ?? matches) === undefined);

type FileCheck = z.output<typeof valueSchema>;

/** A file of the workspace, as the agent left it. */
export const file: Scorer<FileCheck> = {
  read(value) {
    const parsed = valueSchema.safeParse(value);
    if (!parsed.success)
      return invalid(
        "the value of a file check must be { path, exists?, equals?, contains?, matches? }, and a file that must not exist has no content",
      );
    const { matches } = parsed.data;
    const problem = matches === undefined ? undefined : patternProblem(matches);
    return problem === undefined ? { value: parsed.data } : invalid(problem);
  },
  score(check, performance, { task, tools }) {
    const place = check.path.replace(/^(?:\.\/)+/, "");
    const { files, deleted = [] } = performance;
    if (Object.hasOwn(files, place)) return judge(check, place, files[place], tools);
    if (task.checkout === undefined || deleted.includes(place)) return judge(check, place, undefined, tools);
    return readFromCheckout(place, performance, { task, tools }).then((read) =>
      typeof read === "object" ? read : judge(check, place, read, tools),
    );
  },
};

/** What nobody changed is in the commit alone, and that is looked at in a box. */
async function readFromCheckout(
  place: string,
  performance: Performance,
  { task, tools }: Scoring,
): Promise<string | undefined | Invalid> {
  if (tools.command === undefined)
    return invalid("a file check on a checkout needs a sandbox, and there is none here");
  const argv = ["cat", "--", place];
  const run = await tools.command({ argv, ...workspaceOf(performance, task), seconds: 60 });
  if (run.ended !== "exit" || run.exitCode !== 0) return undefined;
  if (run.stdout.length >= maxRead) return invalid(`the file ${place} is too large to be checked`);
  return run.stdout;
}

/** As much as a command may print. */
const maxRead = 64 * 1024;

function judge(
  { exists, equals, contains, matches }: FileCheck,
  place: string,
  content: string | undefined,
  { aside }: ScoringTools,
): CheckResult | Promise<CheckResult> {
  if (!exists) return { pass: content === undefined, expected: `to leave no file ${place}` };
  if (content === undefined) return { pass: false, expected: `to leave a file ${place} (there is none)` };
  const isText = !isBinary(content);
  if (equals !== undefined && content !== equals)
    return { pass: false, expected: `to leave ${quote(equals)} in ${place} (it holds ${quote(content)})` };
  if (contains !== undefined && !(isText && content.includes(contains)))
    return { pass: false, expected: `to leave a file ${place} that contains ${quote(contains)}` };
  if (matches === undefined) return { pass: true, expected: `to leave a file ${place}` };
  const expected = `to leave a file ${place} that matches /${matches.pattern}/${matches.flags}`;
  if (!isText) return { pass: false, expected };
  const { pattern, flags } = matches;
  return named(scoreText({ kind: "regex", value: { pattern, flags } }, content, aside), expected);
}

const named = async (scored: CheckResult | Promise<CheckResult>, expected: string): Promise<CheckResult> => {
  const verdict = await scored;
  return "kind" in verdict ? verdict : { ...verdict, expected };
};
