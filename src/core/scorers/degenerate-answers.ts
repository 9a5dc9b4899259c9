import type { Task } from "../tasks/task.ts";
import { ownText } from "./own-values.ts";
import { said } from "./score-task.ts";
import type { Performance } from "./performance.ts";

/** An answer that should pass nothing. */
export interface DegenerateAnswer {
  /** Its name in a sentence: `an empty answer`. */
  readonly name: string;
  /** Whether it's made of the checks' own words, lists all options, or knows nothing of either. */
  readonly knows: "nothing" | "checks";
  /** Takes long to read, so it's only tried on a few tasks. */
  readonly long?: boolean;
  /** Undefined if the task has nothing to make it from. */
  readonly of: (task: Task) => Performance | undefined;
}

/** Answers that every check is tried on before money is spent. */
export function degenerateAnswers(tasks: readonly Task[]): readonly DegenerateAnswer[] {
  const options = [...new Set(tasks.map((task) => ownText(task, listed)))]
    .filter((text) => text !== "")
    .slice(0, mostOptions);
  return [
    ...blind.map(([name, text]) => ({
      name,
      knows: "nothing" as const,
      long: typeof text === "string" && text.length > 10_000,
      of: (task: Task) => said(typeof text === "string" ? text : text(task), task),
    })),
    {
      name: "an empty workspace",
      knows: "nothing",
      // with a checkout, no files means that all are unchanged
      of: ({ files, checkout }) => (files === undefined || checkout !== undefined ? undefined : said("")),
    },
    {
      name: "every option, listed",
      knows: "checks",
      of: (task) => (options.length < 2 ? undefined : said(options.join(", "), task)),
    },
    {
      name: "the checks' own words",
      knows: "checks",
      of: (task) => {
        const words = ownText(task, lookedFor);
        return words === "" || task.checks === undefined ? undefined : said(words, task);
      },
    },
  ];
}

/** Texts that know nothing of the checks; the workspace stays unchanged. */
const blind: readonly (readonly [name: string, text: string | ((task: Task) => string)])[] = [
  ["an empty answer", ""],
  ["white space", " \n\t \n"],
  ["nonsense", "Lorem ipsum dolor sit amet, consectetur adipiscing elit."],
  ["the prompt, given back", ({ input }) => input],
  ["the word Done with nothing done", "Done."],
  ["1e999", "1e999"],
  ["400 digits", "9".repeat(400)],
  ["NaN", "NaN"],
  ["Infinity", "Infinity"],
  ["{}", "{}"],
  ["[]", "[]"],
  ["null", "null"],
  ["nothing but punctuation", "... !? ,;: -- () \"\" '' # * _ `"],
  ["100 kB of one letter", "x".repeat(100_000)],
];

/** Those of them that are short and the same for every task. */
export const blindTexts: readonly string[] = blind.flatMap(([, text]) =>
  typeof text === "string" && text.length < 100 ? [text] : [],
);

const mostOptions = 100;

/** Kinds whose words an answer can list, and those of them that look for words inside it. */
const lookedFor = ["contains", "icontains", "starts-with", "regex", "section", "all", "any"];
const listed = ["exact", ...lookedFor];
