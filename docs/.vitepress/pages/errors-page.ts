import { errorEntries } from "../../../src/core/error-entries.ts";
import { type ErrorCode, exitCodes } from "../../../src/core/errors.ts";
import { safe } from "./read-source.ts";

/** docs/errors.md: the entries that `whetstone explain` prints. */
export function errorsPage(): string {
  const entries = Object.entries(errorEntries) as readonly [ErrorCode, (typeof errorEntries)[ErrorCode]][];
  return [
    "# Errors",
    "",
    "Every error has a code, a sentence that names what it is about, and a next step. `whetstone explain <code>` prints the entry of",
    "this page, without a network; `whetstone explain` lists all codes, and `whetstone explain 5` those of an exit code. From code it is",
    "`error.code` of a `WhetstoneError`. This page is made from `src/core/error-entries.ts`: `npm run generate`.",
    "",
    "| exit code | meaning |",
    "|---|---|",
    ...Object.entries(exitMeanings).map(([code, meaning]) => `| ${code} | ${meaning} |`),
    "",
    "3, 4, 5 and 130 resume: run the same command again.",
    ...entries.flatMap(([code, { means, why, todo }]) => [
      "",
      `## ${code}`,
      "",
      `Exit code ${exitCodes[code]}. ${safe(means)}`,
      "",
      `**Why.** ${safe(why)}`,
      "",
      `**To do.** ${safe(todo)}`,
    ]),
    "",
  ].join("\n");
}

const exitMeanings: Readonly<Record<number, string>> = {
  0: "done",
  1: "failed, or `--fail-on` met its verdict",
  2: "usage, config, a refusal, a lock; nothing was bought",
  3: "waiting for answers by hand",
  4: "stopped by a cap",
  5: "too many missing results, or replies that cannot be used",
  130: "interrupted",
};
