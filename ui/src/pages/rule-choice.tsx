import { useState } from "preact/hooks";
import { expectedScore } from "../../../src/core/rules/expected-score.ts";
import { subsetSentence } from "../../../src/core/verdict-words.ts";
import { measuredRules, sortRules } from "../../../src/report/measured-rules.ts";
import type { ProposalReport, RunReport } from "../../../src/report/model.ts";
import { forestRule, worthNote } from "../components/measured-rules.tsx";
import { describe } from "../components/message.tsx";
import { RuleForest } from "../components/rule-forest.tsx";
import { useApp } from "../context.ts";
import { percent, plural } from "../format.ts";
import { useLoad } from "../use-load.ts";

/** Which of the measured rules a person takes, and what adopting these would do. */
export interface RuleChoiceState {
  readonly taken: ReadonlySet<number>;
  readonly take: (rule: number, isTaken: boolean) => void;
  readonly isPart: boolean;
  /** What is shown and would be adopted; undefined until the part is known. */
  readonly proposal?: ProposalReport;
  /** Why the part cannot be shown. */
  readonly problem?: string;
}

export function useRuleChoice({ overview }: RunReport, whole: ProposalReport): RuleChoiceState {
  const { source } = useApp();
  const { all = [], held = [] } = whole.rules ?? {};
  const [taken, setTaken] = useState<ReadonlySet<number>>(new Set(held));
  const isPart = taken.size < all.length && whole.state !== "adopted";
  const rules = all.filter((rule) => taken.has(rule));
  const load = useLoad(`${overview.id} ${rules.join(",")}`, async () =>
    isPart && rules.length > 0 ? source.proposal?.(overview.id, rules) : undefined,
  );
  const take = (rule: number, isTaken: boolean) =>
    setTaken(new Set(all.filter((one) => (one === rule ? isTaken : taken.has(one)))));
  return {
    taken,
    take,
    isPart,
    proposal: isPart ? (load.state === "ready" ? load.value : undefined) : whole,
    problem: isPart && load.state === "failed" ? describe(load.error).message : undefined,
  };
}

/** The rules of a proposal, each to be taken or left, with what the model expects of the choice. */
export function RuleChoice({
  report: { overview, summary },
  proposal: { state, rules },
  choice,
}: {
  readonly report: RunReport;
  readonly proposal: ProposalReport;
  readonly choice: RuleChoiceState;
}) {
  const table = measuredRules(summary);
  if (table === undefined || rules === undefined) return null;
  const canChoose = state !== "adopted";
  const shown = sortRules(table.rules).kept.filter(({ rule }) =>
    (canChoose ? rules.all : rules.held).includes(rule),
  );
  const { taken, take, isPart, proposal, problem } = choice;
  const expected = expectedScore(table, [...taken]);
  const facts = { held: [...taken], lost: [], expected, whole: expectedScore(table, rules.all) };
  const sentence = subsetSentence(facts, {
    kept: rules.all.length,
    isSealed: overview.verdict !== "not-tested",
  });
  return (
    <section class="panel" aria-label="Rules">
      <h2>{canChoose ? "Rules: take all of them, or a part" : "Rules that were adopted"}</h2>
      <p role="status">
        {isPart
          ? (problem ?? proposal?.reason ?? sentence)
          : `${plural(shown.length, "rule")}: the model expects ${percent(expected)} on val, from ${percent(table.original)}.`}
      </p>
      <RuleForest
        label="Rules of this proposal"
        rules={shown.map((rule) => forestRule(overview.id, rule))}
        taken={taken}
        onTake={canChoose ? take : undefined}
      />
      <p class="soft">{worthNote}</p>
    </section>
  );
}
