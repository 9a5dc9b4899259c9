import { percent } from "./measure/percent.ts";
import { plural } from "./plural.ts";

/** How answers that know nothing of a task score on a claim's tasks. */
export interface BlindFacts {
  /** The best single text to give as the answer to every task. It needs no call. */
  readonly constant?: {
    /** Tasks it was tried on, and tasks that need a judge, a grader or a function. */
    readonly tasks: number;
    readonly untried: number;
    /** How many different values the tasks expect. */
    readonly values: number;
    /** Its text and score, and the later skill's score on the same tasks. */
    readonly best?: { readonly answer: string; readonly score: number; readonly after: number };
  };
  /** The tasks on which the later skill lists most of the set's values, or gives the same reply whatever is expected. */
  readonly joined?: { readonly how: "listed" | "same"; readonly tasks: number; readonly of: number };
  /** Why the verdict is weaker than the test alone would allow. */
  readonly reason?: "joined-answers" | "constant-answer";
}

/** Explains why a claim is withheld, and what to ask for instead. */
export function joinedSentence({ joined }: BlindFacts): string {
  if (joined === undefined) return "";
  const { how, tasks, of } = joined;
  const does =
    how === "listed"
      ? "the later skill's reply lists most of the values these tasks expect"
      : "the later skill gives the same reply whichever value is expected";
  return `On ${tasks} of ${of} tasks, ${does}, and the checks accept it. Ask for one answer and check all of it: \`exact\`, \`answers\`, \`json-schema\`, or a \`regex\` from ^ to $.`;
}

/** `Best constant answer: 61.0%.`, with the tasks it couldn't be tried on. */
export function constantSentence({ constant }: BlindFacts): string | undefined {
  if (constant === undefined) return undefined;
  const { best, tasks, untried } = constant;
  const why = "a judge, a grader or a function of yours";
  if (best === undefined)
    return untried === 0 ? undefined : `Best constant answer: not tried; checks need ${why}.`;
  const rest = untried === 0 ? "" : ` on ${plural(tasks, "task")}; ${untried} more need ${why}`;
  return `Best constant answer: ${percent(best.score)}${rest}.`;
}

/** Names the hosts that answered, so that an unexpected server shows. */
export function hostSentences(
  hosts: Readonly<Record<string, number>> | undefined = {},
  results?: number,
): readonly string[] {
  const names = Object.keys(hosts).toSorted();
  if (names.length === 0) return [];
  const isPlain = names.every((name) => results === undefined || hosts[name] === results);
  const of = (name: string) => `${hosts[name]} of ${results} results came from ${name}`;
  return [isPlain ? `Measured at ${names.join(" and ")}.` : `${names.map(of).join(", ")}.`];
}
