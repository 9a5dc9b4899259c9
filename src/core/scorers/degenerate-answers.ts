import type { Check, Task } from "../tasks/task.ts";
import { said } from "./score-task.ts";
import type { Performance } from "./performance.ts";
import { setMembers } from "./set-members.ts";

/** An answer that should pass nothing. */
export interface DegenerateAnswer {
  /** As a sentence names it: `an empty answer`. */
  readonly name: string;
  /** Whether it is made of the checks' own words or of all options, or without knowing any of them. */
  readonly knows: "nothing" | "checks";
  /** Takes long to read, so that it is tried on few tasks. */
  readonly long?: boolean;
  /** Undefined where a task has nothing to make it of. */
  readonly of: (task: Task) => Performance | undefined;
}

/** The standing adversary: what every check is tried on before money is spent. */
export function degenerateAnswers(tasks: readonly Task[]): readonly DegenerateAnswer[] {
  const options = [...new Set(tasks.flatMap(rightAnswers))].slice(0, mostOptions);
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
      // with a checkout, no files means that all are as they were
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
        const words = (task.checks ?? []).flatMap(ownWords);
        return words.length === 0 ? undefined : said(words.join("\n"), task);
      },
    },
  ];
}

/** Texts that know nothing of the checks; the workspace stays as it was. */
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

const mostOptions = 100;

/** What would be right, of the tasks that say so in words: in a set of labels, all labels. */
const rightAnswers = ({ answers = [], checks = [] }: Task): readonly string[] => [
  ...answers,
  ...checks.flatMap(({ kind, value, negate = false }) =>
    ["exact", "contains", "icontains"].includes(kind) && !negate && typeof value === "string" ? [value] : [],
  ),
];

/** The words that a check looks for, or describes an answer by; an exact answer is no such word, it is the answer. */
function ownWords(check: Check): readonly string[] {
  const { kind, value, negate = false } = check;
  if (negate) return [];
  const fields = Object(value) as Readonly<Record<string, unknown>>;
  const texts: Readonly<Record<string, readonly unknown[]>> = {
    contains: [value],
    icontains: [value],
    "starts-with": [value],
    regex: [value, fields["pattern"]],
    section: [value, fields["heading"], fields["contains"]],
    "json-schema": [JSON.stringify(value)],
    rubric: [value, fields["text"]],
    all: setMembers(check).flatMap(ownWords),
    any: setMembers(check).flatMap(ownWords),
  };
  return (texts[kind] ?? []).filter((text) => typeof text === "string");
}
