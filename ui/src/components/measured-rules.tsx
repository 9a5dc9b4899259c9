import {
  type MeasuredRule,
  type RuleTable,
  type RuleSwaps,
  helpShownFrom,
} from "../../../src/core/rules/rule-table.ts";
import { swapPhrases } from "../../../src/core/swap-words.ts";
import {
  priceText,
  worthRange,
  ruleWords,
  signedPoint,
  unkeptSentence,
} from "../../../src/core/verdict-words.ts";
import { helpsText, ruleLine, sortRules } from "../../../src/report/measured-rules.ts";
import { count, plural, sentence } from "../format.ts";
import { linkTo } from "../router.ts";
import { Badge } from "./badge.tsx";
import { showText } from "./edit.tsx";
import { forestScale } from "./forest-scale.ts";
import { type ForestRule, RuleForest } from "./rule-forest.tsx";
import { TaskLinks } from "./task-links.tsx";

/** Explains the points of a rule. */
export const worthNote =
  "The points that each rule adds on val, with a 95% interval. They are estimated from every val rollout; only the sealed test is a claim.";

/** Every rule that was tried, with its estimate: kept ones first, best on top. */
export function MeasuredRules({ run, table }: { readonly run: string; readonly table: RuleTable }) {
  const { kept, out } = sortRules(table.rules);
  const scale = forestScale(table.rules);
  return (
    <>
      {kept.length === 0 ? (
        <p class="soft">No rule was kept.</p>
      ) : (
        <RuleForest label="Kept rules" rules={kept.map((rule) => forestRule(run, rule))} scale={scale} />
      )}
      {out.length > 0 && (
        <details class="rules-out">
          <summary>{unkeptSentence(out)}</summary>
          <RuleForest
            label="Rules that were not kept"
            rules={out.map((rule) => forestRule(run, rule))}
            scale={scale}
          />
        </details>
      )}
    </>
  );
}

export function forestRule(run: string, rule: MeasuredRule): ForestRule {
  const isOut = rule.state !== "kept";
  const isMeasured = rule.rollouts > 0;
  return {
    ...rule,
    worth: signedPoint(rule.points),
    isMeasured,
    isOut,
    words: showText(ruleLine(rule)),
    badge: isOut && <Badge look={ruleWords[rule.state]} />,
    figures: [...(isMeasured ? [worthRange(rule), helpsFigure(rule)] : []), plural(rule.tokens, "token")],
    more: <More run={run} rule={rule} />,
  };
}

export const helpsFigure = (rule: Pick<MeasuredRule, "helps">): string =>
  rule.helps >= helpShownFrom ? "help shown" : `helps: ${helpsText(rule)}`;

/** Findings from the swaps of a rule, one per line. */
export const Swaps = ({ swaps }: { readonly swaps: RuleSwaps }) => (
  <>
    {swapPhrases(swaps).map((phrase) => (
      <p key={phrase}>{sentence(phrase)}</p>
    ))}
  </>
);

function More({ run, rule }: { readonly run: string; readonly rule: MeasuredRule }) {
  const { step, file, price, rollouts, ofRollouts, evidence, source, reason, text } = rule;
  return (
    <>
      <p>{sentence(reason)}</p>
      <Swaps swaps={rule} />
      {text.includes("\n") && <pre>{showText(text)}</pre>}
      <p>
        <a href={linkTo({ page: "step", run, step })}>Step {step}</a>, <code>{file}</code>
        {source !== undefined && `, from ${source === "failure" ? "failures" : "successes"}`}.
        {rollouts > 0 && ` In ${count(rollouts)} of ${count(ofRollouts)} val rollouts.`}
        {price !== undefined && ` It makes a run of the skill ${priceText(price)} tokens longer.`}
      </p>
      {evidence.length > 0 && (
        <p>
          Suggested by <TaskLinks run={run} tasks={evidence} />
        </p>
      )}
    </>
  );
}
