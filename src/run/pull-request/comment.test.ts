import { expect, test } from "vitest";
import { WhetstoneError } from "../../core/errors.ts";
import { claimVerdict } from "../../core/gate/claim/claim-verdict.ts";
import { claimSentence } from "../../core/verdict-words.ts";
import type { CompareSummary } from "../verbs/compare.ts";
import type { PullRequestCheck } from "./check-skills.ts";
import { commentMark, pullRequestComment } from "./comment.ts";
import { junit } from "./junit.ts";

const claim = claimVerdict(
  Array.from({ length: 20 }, (_, at) => ({ incumbent: [1, 1], candidate: at < 12 ? [0, 0] : [1, 1] })),
  { alpha: 0.05 },
);
const ratio = { value: 2, low: 1.9, high: 2.1 };
const summary: CompareSummary = {
  run: "17303ff32fd06f87",
  verdict: "worse",
  sentence: claimSentence(claim),
  on: "all",
  tasks: 20,
  seen: 0,
  trials: 2,
  before: { hash: "a", score: 1 },
  after: { hash: "b", score: 0.4 },
  claim,
  lost: [{ task: "refund <b>|1", p: 0.01, blocks: true }],
  perRollout: {
    pairs: 40,
    level: 0.9,
    scope: "tasks like these",
    tokens: { before: 812, after: 1640, ratio },
    turns: { before: 1, after: 2, ratio },
    skillTokens: { before: 100, after: 120 },
  },
  detectable: 0.14,
  cost: { total: { nanoUsd: 5e7, tokens: 9, calls: 9, usd: "$0.05" } },
};
const check: PullRequestCheck = {
  base: "0123456789abcdef",
  failOn: "worse",
  checks: [
    { skill: "skills/office", kind: "compared", summary, spentNow: "$0", fails: true },
    { skill: "skills/new", kind: "added", fails: false },
    { skill: "skills/@me", kind: "no-tasks", fails: false },
    {
      skill: "skills/far",
      kind: "not-measured",
      why: "nothing is called here",
      could: "Measuring it would take 80 calls.",
      fails: false,
    },
    {
      skill: "skills/bad",
      kind: "not-measured",
      why: 'The key "x" is wrong.',
      next: "Mend it.",
      error: new WhetstoneError("provider-refused", "no"),
      fails: false,
    },
  ],
};

test("where nothing differs, nothing is said to have run", () => {
  const text = pullRequestComment({ ...check, checks: [] });
  expect(text).toContain("No skill differs from the base branch");
  expect(text).toContain("<sub>Against 0123456789. Made by Whetstone.</sub>");
});

test("a comment has the verdict first, one row for a skill, lost tasks by name, costs, and why others have none", () => {
  const text = pullRequestComment(check);
  expect(text.startsWith(`${commentMark}\n### skills/office: refused, as fail-on is worse\n`)).toBe(true);
  expect(text).toContain("| skills/office | 100.0 % | 40.0 % | −60.0 points [");
  expect(text).toMatch(
    /\| ▼ \*\*worse\*\* \| 812 → 1,640 \(\+100 %\) \| 1\.0 → 2\.0 \(\+100 %\) \| \$0\.05, \$0 now \|/,
  );
  expect(text).toContain(String.raw`Tasks lost: refund &lt;b>\|1 (a re-run confirms it).`);
  expect(text).toContain("A difference of 14 points or more is found so in 80 of 100 cases.");
  expect(text).toContain("- New, so there is nothing to compare with: skills/new");
  expect(text).toContain("beside it (a tasks.jsonl there would do): skills/@\u200Bme");
  expect(text).toContain(
    "- Not measured: skills/far: nothing is called here. Measuring it would take 80 calls.",
  );
  expect(text).toContain('- Not measured: skills/bad: The key "x" is wrong. Mend it.');
  expect(pullRequestComment({ base: "0", checks: [] })).toContain("No skill differs from the base branch");
});

test("a comparison without a verdict shows its figures and says why, with none of the words", () => {
  const why = "This pull request also changes tasks (a.jsonl), so the comparison isn't a verdict.";
  const { verdict: _verdict, sentence: _sentence, ...figures } = summary;
  const withheld = { skill: "skills/office", kind: "withheld", why, figures, spentNow: "$0" } as const;
  const shown = (failOn: "worse" | "not-better", fails: boolean) => {
    const one: PullRequestCheck = { base: "0123", failOn, checks: [{ ...withheld, fails }] };
    return { text: pullRequestComment(one), xml: junit(one) };
  };
  const open = shown("worse", false);
  expect(open.text).toContain("### skills/office: no verdict\n");
  expect(open.text).toMatch(/\| 100\.0 % \| 40\.0 % \| −60\.0 points \[.*\| – \*\*no verdict\*\* \|/);
  expect(open.text).toContain(`- No verdict: skills/office: ${why}`);
  expect(open.text).not.toMatch(/better|worse/i);
  expect(open.xml).toContain('failures="0" errors="0" skipped="1"');
  expect(open.xml).toContain(`<skipped message="${why}"/>`);
  const refused = shown("not-better", true);
  expect(refused.text).toContain("### skills/office: refused, as fail-on is not-better\n");
  expect(refused.xml).toContain('failures="1" errors="0" skipped="0"');
});

test("JUnit: what is refused fails, what went wrong is an error, the rest is skipped", () => {
  const xml = junit(check);
  expect(xml).toContain('<testsuites name="whetstone" tests="5" failures="1" errors="1" skipped="3">');
  expect(xml).toMatch(/name="skills\/office"><failure message="worse">Worse: /);
  expect(xml).toContain('<error message="The key &quot;x&quot; is wrong."/>');
  expect(xml).toContain('<skipped message="added"/>');
});
