import { WhetstoneError } from "../errors.ts";
import type { Skill } from "../skill/skill.ts";
import { type ComposedSkill, compose } from "./compose.ts";
import { expectedScore } from "./expected-score.ts";
import type { SearchRule } from "./rule.ts";
import type { RuleTable } from "./rule-table.ts";

/** What a search found out about its rules, and the changes of those that are in its text. */
export interface FoundRules {
  readonly table: RuleTable;
  readonly kept: readonly SearchRule[];
}

/** Which of the kept rules a person takes, each by its number. */
export interface RuleChoice {
  /** Only these. @default all */
  readonly accept?: readonly string[];
  /** Not these. @default none */
  readonly drop?: readonly string[];
}

/** A text with a part of the kept rules. */
export interface ChosenPart extends ComposedSkill {
  /** Wanted, but changes the words of a rule that was left out, or holds it. */
  readonly lost: readonly number[];
  /** The score that it should have on val, and that of the text with all of them. */
  readonly expected: number;
  readonly whole: number;
}

/** A text written anew holds rules: it goes with the first of them that is left out. */
export function choosePart(base: Skill, { table, kept }: FoundRules, choice: RuleChoice): ChosenPart {
  const all = kept.map(({ number }) => number);
  const out = new Set(readNumbers(choice.drop ?? [], all));
  const wanted = (choice.accept === undefined ? all : readNumbers(choice.accept, all)).filter(
    (rule) => !out.has(rule),
  );
  const stands = ({ number, change }: SearchRule) =>
    wanted.includes(number) &&
    (change.kind === "edit" || change.holds.every((rule) => wanted.includes(rule) || !all.includes(rule)));
  // the search itself was allowed to make these changes
  const composed = compose(base, kept.filter(stands), { allowScripts: true });
  return {
    ...composed,
    lost: wanted.filter((rule) => !composed.held.includes(rule)),
    expected: expectedScore(table, composed.held),
    whole: expectedScore(table, all),
  };
}

function readNumbers(names: readonly string[], all: readonly number[]): readonly number[] {
  return names.map((name) => {
    const found = all.find((rule) => String(rule) === name.trim());
    if (found !== undefined) return found;
    throw new WhetstoneError("usage", `There is no rule "${name}" in this proposal.`, {
      hint:
        all.length === 0
          ? "It keeps no rule. `whetstone runs` lists the runs; name another one."
          : `Its rules are ${all.join(", ")}.`,
    });
  });
}
