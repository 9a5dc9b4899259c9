import { z } from "zod";
import { isBinary } from "../files.ts";
import { matchPattern, maxMatched, patternProblem, patternSchema, tooSlow } from "./pattern.ts";
import { type Scorer, invalid, quote } from "./scorer.ts";

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
  score({ path, exists, equals, contains, matches }, { files }) {
    const place = path.replace(/^(?:\.\/)+/, "");
    const content = Object.hasOwn(files, place) ? files[place] : undefined;
    if (!exists) return { pass: content === undefined, expected: `to leave no file ${place}` };
    if (content === undefined) return { pass: false, expected: `to leave a file ${place} (there is none)` };
    const isText = !isBinary(content);
    if (equals !== undefined && content !== equals)
      return { pass: false, expected: `to leave ${quote(equals)} in ${place} (it holds ${quote(content)})` };
    if (contains !== undefined && !(isText && content.includes(contains)))
      return { pass: false, expected: `to leave a file ${place} that contains ${quote(contains)}` };
    if (matches === undefined) return { pass: true, expected: `to leave a file ${place}` };
    const isRead = isText && content.length <= maxMatched;
    const pass = isRead ? matchPattern(matches, content) : false;
    if (pass === undefined) return invalid(tooSlow(matches));
    return { pass, expected: `to leave a file ${place} that matches /${matches.pattern}/${matches.flags}` };
  },
};
