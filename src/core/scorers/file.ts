import { z } from "zod";
import { isBinary } from "../files.ts";
import { patternSchema, readPatterned } from "./pattern.ts";
import { plainPath, readWorkspaceFile } from "./read-workspace-file.ts";
import { scoreText } from "./score-text.ts";
import type { ScoringTools } from "./performance.ts";
import { type Scorer, quote } from "./scorer.ts";
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

/** The agent left the file as described, or didn't leave it if `exists` is false. */
export const file: Scorer<FileCheck> = {
  read: readPatterned(
    valueSchema,
    "the value of a file check must be { path, exists?, equals?, contains?, matches? }, without content if the file must not exist",
    ({ matches }) => [matches],
  ),
  async score(check, performance, scoring) {
    const read = await readWorkspaceFile(check.path, performance, scoring);
    return typeof read === "object" ? read : judge(check, plainPath(check.path), read, scoring.tools);
  },
};

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
