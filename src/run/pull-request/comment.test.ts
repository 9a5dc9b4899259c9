import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { WhetstoneError } from "../../core/errors.ts";
import { claimVerdict } from "../../core/gate/claim/claim-verdict.ts";
import { claimSentence } from "../../core/verdict-words.ts";
import type { CompareSummary } from "../verbs/compare.ts";
import type { PullRequestCheck, SkillCheck } from "./check-skills.ts";
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
  detectableOnSome: 0.2,
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
  expect(text).toContain("<sub>Against `0123456789`. Made by Whetstone.</sub>");
});

test("a comment has the verdict first, one row for a skill, lost tasks by name, costs, and why others have none", () => {
  const text = pullRequestComment(check);
  expect(text.startsWith(`${commentMark}\n### \`skills/office\`: refused, as fail-on is worse\n`)).toBe(true);
  expect(text).toContain("| `skills/office` | 100.0% | 40.0% | −60.0 points [");
  expect(text).toMatch(
    /\| ▼ \*\*worse\*\* \| 812 → 1,640 \(\+100%\) \| 1\.0 → 2\.0 \(\+100%\) \| \$0\.05, \$0 now \|/,
  );
  expect(text).toContain("Tasks lost: `refund <b>│1` (a re-run confirms it).");
  expect(text).toContain(
    "A comparison like this has 80% power to find a difference of 14 points or more on all tasks alike, or 20 on some topics only.",
  );
  expect(text).toContain("- New, so there's nothing to compare with: `skills/new`");
  expect(text).toContain("next to it (a tasks.jsonl there is enough): `skills/@me`");
  expect(text).toContain(
    "- Not measured: `skills/far`: nothing is called here. Measuring it would take 80 calls.",
  );
  expect(text).toContain('- Not measured: `skills/bad`: The key "x" is wrong. Mend it.');
  expect(pullRequestComment({ base: "0", checks: [] })).toContain("No skill differs from the base branch");
});

test("what the branch changes of its own exam comes first, and its row is never called a proof", () => {
  const { verdict: _verdict, sentence: _sentence, ...figures } = summary;
  const changed = [{ kind: "tasks", file: "a.jsonl" }] as const;
  const shown = (own: object, rest: object) =>
    pullRequestComment({
      ...check,
      checks: [
        { skill: "skills/office", fails: false, own: { changed, ...own }, ...rest } as unknown as SkillCheck,
      ],
    });
  const both = shown({ figures, spentNow: "$1" }, { kind: "compared", summary, spentNow: "$0" });
  expect(both).toMatch(
    /^### `skills\/office`: worse\n\n`skills\/office`: This pull request also changes tasks \(`a\.jsonl`\)\. The verdict uses the base commit's versions\. A second row .* isn't a proof; .*\n\n\| skill/m,
  );
  const [, , first = "", second = ""] = both.split("\n").filter((line) => line.startsWith("|"));
  expect(first).toContain("▼ **worse**");
  expect(second).toMatch(
    /^\| `skills\/office`, with the pull request's own inputs \|.*\| – \*\*not a proof\*\* \|/,
  );
  const alone = shown({ figures, spentNow: "$1" }, { kind: "no-tasks" });
  expect(alone).toContain("### No skill could be compared\n");
  expect(alone).not.toMatch(/better|worse/i);
  expect(shown({ why: "score.mjs: a pull request's code doesn't run here" }, { kind: "no-tasks" })).toContain(
    "Not measured with these: `score.mjs:` a pull request's code doesn't run here.",
  );
});

/** Of markdownlint's own: what GitHub's Markdown is, with tables and addresses that become links. */
const ofMarkdownlint = createRequire(import.meta.resolve("markdownlint"));
const load = (name: string) => import(pathToFileURL(ofMarkdownlint.resolve(name)).href);

/** As GitHub shows it: what its Markdown makes links of, then the text in which it looks for people, issues and commits. */
async function asGithub(markdown: string) {
  const [{ micromark }, tables, links] = await Promise.all(
    ["micromark", "micromark-extension-gfm-table", "micromark-extension-gfm-autolink-literal"].map(load),
  );
  const html: string = micromark(markdown, {
    allowDangerousHtml: true,
    extensions: [tables.gfmTable(), links.gfmAutolinkLiteral()],
    htmlExtensions: [tables.gfmTableHtml(), links.gfmAutolinkLiteralHtml()],
  });
  const text = html
    .replaceAll(/<code>[^]*?<\/code>/g, "")
    .replaceAll(/<!--[^]*?-->|<\/?[a-z][^>]*>/g, " ")
    .replaceAll(/&(?:amp|lt|gt|quot);/g, "·");
  return { html, text };
}

const references =
  /(?:^|\W)@[a-z\d]|#\d|GH-\d|GHSA-|\b[\da-f]{7,40}\b|:\/\/|www\.|[\w.]@[\w.]|mailto:|<\/?(?:a|img)\b/i;

test.each([
  "@octocat",
  "a @github/security b",
  "&commat;octocat",
  "&#64;octocat",
  "x\\@octocat",
  "#1",
  "me/skills#12",
  "GH-12",
  "GHSA-aaaa-bbbb-cccc",
  "a5c3785ed8d6a35868bc169f07e40e889087fd2e",
  "deadbeef",
  "me@a5c3785",
  "https://evil.example/?a=1",
  "www.evil.example",
  "a@evil.example",
  "mailto:a@evil.example",
  "[x](https://evil.example)",
  "![x](https://evil.example/x.png)",
  "<img src=https://evil.example>",
  "</summary></details><a href=//evil.example>x</a>",
  "` @octocat `",
  "``` @octocat",
  "a\\",
  "a\\| @octocat | b",
  "a\n\n@octocat",
  "a\u2028@octocat\u202E",
  "",
])("the name %j links to nothing and notifies nobody, wherever it is shown", async (name) => {
  const [compared] = check.checks;
  if (compared?.kind !== "compared") throw new Error("the first one is compared");
  const sentence = `Worse on ${name}: it was ${name}.`;
  const { html, text } = await asGithub(
    pullRequestComment({
      base: "0123456789abcdef",
      failOn: "worse",
      checks: [
        {
          ...compared,
          skill: name,
          summary: { ...summary, sentence, lost: [{ task: name, p: 0.01, blocks: true }] },
          own: { changed: [{ kind: "tasks", file: name }], why: sentence },
        },
        { skill: name, kind: "added", fails: false },
        { skill: name, kind: "not-measured", why: sentence, next: sentence, fails: false },
      ],
    }),
  );
  expect(text).not.toMatch(references);
  expect(html).not.toMatch(/<(?:a|img)\b/);
  // no cell, row or block of its own
  expect([...html.matchAll(/<t[dh]>/g)]).toHaveLength(16 + 20);
  expect([...html.matchAll(/<\/details>/g)]).toHaveLength(1);
});

test("JUnit: what is refused fails, what went wrong is an error, the rest is skipped", () => {
  const xml = junit(check);
  expect(xml).toContain('<testsuites name="whetstone" tests="5" failures="1" errors="1" skipped="3">');
  expect(xml).toMatch(/name="skills\/office"><failure message="worse">Worse: /);
  expect(xml).toContain('<error message="The key &quot;x&quot; is wrong."/>');
  expect(xml).toContain('<skipped message="added"/>');
});
