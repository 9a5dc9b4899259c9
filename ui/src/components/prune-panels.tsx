import type { RuleEstimate } from "../../../src/core/rules/prune/prune.ts";
import { nth } from "../../../src/core/asked-words.ts";
import { type VerdictLook, signedPoint } from "../../../src/core/verdict-words.ts";
import type { LossFigures, PruneFigures } from "../../../src/report/prune-figures.ts";
import { count, percent, plural, points, sentence } from "../format.ts";
import { linkTo } from "../router.ts";
import { Badge } from "./badge.tsx";
import { showText } from "./edit.tsx";
import { FigureTable } from "./figure-table.tsx";
import { type ForestScale, forestScale } from "./forest-scale.ts";
import { helpsFigure } from "./measured-rules.tsx";
import { type ForestRule, RuleForest } from "./rule-forest.tsx";

/** The removed rules, and what is lost without them. */
export function PrunePanels({ run, prune }: { readonly run: string; readonly prune: PruneFigures }) {
  return (
    <>
      <section class="panel whole">
        <h2>{prune.removed === 0 ? "No rules removed" : "Removed rules"}</h2>
        {prune.removed === 0 ? (
          <p>The skill keeps its {plural(prune.rules, "rule")}.</p>
        ) : (
          <PrunedRules prune={prune} fates={["removed"]} />
        )}
        <p>
          <a href={linkTo({ page: "skill", run })}>All {plural(prune.rules, "rule")} with their evidence</a>
        </p>
      </section>
      <LossPanel prune={prune} />
      <SavingPanel prune={prune} />
    </>
  );
}

/** The rules of a pruned skill with the worth of each, removed ones first. */
export function PrunedRules({
  prune: { table },
  fates = ["removed", "kept"],
}: {
  readonly prune: PruneFigures;
  readonly fates?: readonly RuleEstimate["fate"][];
}) {
  const shown = table
    .map((rule, at) => forestRule(rule, at + 1))
    .filter(({ fate }) => fates.includes(fate))
    .toSorted((a, b) => fates.indexOf(a.fate) - fates.indexOf(b.fate) || a.points - b.points);
  return <RuleForest label="Rules of the skill" rules={shown} scale={scaleOf(table)} />;
}

const scaleOf = (table: readonly RuleEstimate[]): ForestScale =>
  forestScale(table.map(({ low, high }) => ({ low: 100 * low, high: 100 * high })));

const fateLooks: Readonly<Record<RuleEstimate["fate"], Omit<VerdictLook, "relation">>> = {
  removed: { word: "removed", tone: "bad", sign: "−" },
  kept: { word: "kept", tone: "even", sign: "✓" },
};

function forestRule(rule: RuleEstimate, number: number): ForestRule & Pick<RuleEstimate, "fate"> {
  const { fate, text, tokens, worth, low, high, needed, rollouts, why } = rule;
  return {
    rule: number,
    fate,
    points: 100 * worth,
    low: 100 * low,
    high: 100 * high,
    worth: signedPoint(100 * worth),
    isMeasured: rollouts > 0,
    isOut: fate === "removed",
    words: showText(text.replaceAll(/\s+/g, " ").trim()),
    badge: <Badge look={fateLooks[fate]} />,
    figures: [
      `${signedPoint(100 * low)} to ${signedPoint(100 * high)}`,
      helpsFigure(rule),
      plural(tokens, "token"),
    ],
    more: (
      <>
        <p>
          {sentence(why)} {plural(rollouts, "val rollout")} with and without it. Chance that some task needs
          it: {percent(needed)}.
        </p>
        <p>
          <code>{rule.rule}</code>
        </p>
      </>
    ),
  };
}

function LossPanel({ prune: { margin, prunings, val, test } }: { readonly prune: PruneFigures }) {
  const tested = [
    { name: "val", loss: val },
    { name: "sealed test", loss: test },
  ].flatMap(({ name, loss }) => (loss === undefined || loss.trials === 0 ? [] : [{ name, loss }]));
  const row = (name: string, of: (loss: LossFigures) => string) => [
    name,
    ...tested.map(({ loss }) => of(loss)),
  ];
  return (
    <section class="panel">
      <h2>Loss without them</h2>
      {tested.length === 0 ? (
        <p class="soft">Not tested: there was nothing to remove, or the scores are too noisy to tell.</p>
      ) : (
        <FigureTable
          caption="Loss of mean score without these rules"
          columns={["In points", ...tested.map(({ name }) => name)]}
          rows={[
            row("Difference", ({ difference }) => points(difference)),
            row("Worst case", ({ low }) => points(low)),
            row("Share of the margin used", ({ low, margin: most }) => percent(Math.max(0, -low) / most)),
            row("p, and its threshold", ({ p, alpha }) => `${p.toPrecision(2)}, ${alpha.toPrecision(2)}`),
            row("Tasks × trials", ({ tasks, trials }) => `${tasks} × ${trials}`),
          ]}
        />
      )}
      <p class="soft">
        The margin is {points(margin).replace("+", "")} points. {countsFrom(prunings)}{" "}
        {test !== undefined && `The ${nth(test.read)} text compared on these tasks.`}
      </p>
    </section>
  );
}

/** Successive prunings share one margin. */
function countsFrom(prunings: number): string {
  if (prunings === 0) return "It is measured from the skill that was pruned.";
  return prunings === 1
    ? "It is shared with the last adopted pruning, so it is measured from the skill before that one."
    : `It is shared with the last ${prunings} adopted prunings, so it is measured from the skill before them.`;
}

function SavingPanel({ prune: { tokens, removed, rules, flipRate } }: { readonly prune: PruneFigures }) {
  const share = tokens.before === 0 ? 0 : (tokens.before - tokens.after) / tokens.before;
  return (
    <section class="panel">
      <h2>Savings</h2>
      <FigureTable
        caption="Savings"
        columns={["Of the skill", "Figure"]}
        rows={[
          ["Tokens before", count(tokens.before)],
          ["Tokens after", `${count(tokens.after)} (−${percent(share)})`],
          ["Rules removed", `${removed} of ${rules}`],
        ]}
      />
      <p class="soft">Two rollouts of one val task differ in {percent(flipRate)} of cases.</p>
    </section>
  );
}
