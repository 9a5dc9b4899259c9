import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { listLines } from "../src/show/list-lines.ts";
import { costText, verdictLines } from "../src/show/print-result.ts";
import { progressLines } from "../src/show/progress-lines.ts";
import { runLines } from "../src/show/run-lines.ts";
import { scorePoints } from "../src/show/score-points.ts";
import { stepLines, turnLines } from "../src/show/step-lines.ts";
import { unicodeGlyphs } from "../src/show/glyphs.ts";
import { wholeWorthLines, worthLines } from "../src/show/worth-lines.ts";
import type { EventBody } from "../src/core/events.ts";
import { ruleTableSchema } from "../src/core/rules/rule-table.ts";
import type { StepAction } from "../src/core/step-record.ts";
import { type VerdictWord, ruleLabel, stepLook, stepWords, verdictWords } from "../src/core/verdict-words.ts";
import {
  confirmedSentence,
  endedSentence,
  keptSentence,
  standingText,
  stepSentence,
} from "../src/core/search-words.ts";
import { foundableSentence, provableSentence } from "../src/core/plan-words.ts";
import { formatUsd } from "../src/core/work/spend.ts";
import { buildReport } from "../src/report/build-report.ts";
import { valCurve } from "../src/report/val-curve.ts";
import { createLiveCalls } from "../src/report/live-calls.ts";
import type { RunFolder } from "../src/report/run-folder.ts";
import { type RunState, readEvents } from "../src/report/run-state.ts";
import type { Summary } from "../src/run/reports/artifacts.ts";
import { foundRules } from "./support/measured-rules.ts";
import { wordsOf, verdictOf } from "../ui/src/action-words.ts";

const verdicts = Object.keys(verdictWords) as VerdictWord[];
const actions = ["accept_new_best", "accept", "reject", "return_to_original", "skip", "undecided"] as const;
const place = { cwd: "/", lineLimit: 300, columns: 120, isUnicode: true };
const plain = (lines: readonly string[]): string => stripVTControlCharacters(lines.join("\n"));

const summaryOf = (given: Partial<Summary>): Summary => ({
  run: "0123456789abcdef",
  verdict: "unchanged",
  sentence: "",
  gate: "rules",
  steps: 2,
  planned: 2,
  accepted: 0,
  judged: 2,
  best: { step: 0, hash: "a" },
  val: { baseline: 0.5, best: 0.5 },
  cost: {},
  ...given,
});

interface Step {
  readonly action: StepAction;
  readonly score: number;
}

/** A training that ended, as its events tell it. */
function stateOf(
  steps: readonly Step[],
  end: Partial<EventBody & { readonly type: "turn-end" }>,
  summary?: Summary,
) {
  const none = { nanoUsd: 0, tokens: 0, calls: 0 };
  const gate = summary?.gate ?? "rules";
  const bodies: EventBody[] = [
    {
      type: "run-start",
      command: "train",
      skill: "s",
      models: { target: "a/b" },
      tasks: { train: 10, val: 40, test: 20 },
      steps: 4,
      resumed: 0,
      finished: false,
      spent: none,
      folder: "/r",
      settings: { metric: "hard", mixedWeight: 0.5, epochs: 2, gate },
    },
    { type: "stage-end", step: 0, stage: "baseline", total: 40, pending: 0, ms: 1, hard: 0.5, soft: 0.5 },
    ...steps.map(
      ({ action, score }, at): EventBody => ({
        type: "step-end",
        step: at + 1,
        epoch: 1,
        budget: 4,
        action,
        reason: "why",
        score: null,
        evidence: gate === "rules" ? { rollouts: 4, rules: [] } : { rollouts: 4 },
        current: { score, hash: `h${score}` },
        best: { score, step: score === 0.5 ? 0 : at + 1, hash: `h${score}` },
        edits: 1,
        refused: 0,
      }),
    ),
    {
      type: "turn-end",
      turn: "end",
      step: steps.length,
      epoch: 1,
      action: "skip",
      reason: "All 4 steps were done.",
      score: steps.at(-1)?.score ?? null,
      ...end,
    },
    ...(summary === undefined
      ? []
      : [{ type: "run-end", status: "done", message: summary.sentence, summary, cost: none } as never]),
  ];
  return readEvents(
    bodies.map((body, seq) => ({ v: 1, seq, at: 1000 * seq, run: "0123456789abcdef", ...body })),
  ) as RunState;
}

const folder = {
  steps: [],
  results: [],
  epochs: [],
  splits: { train: [], val: [], test: [] },
} as unknown as RunFolder;

const show = (run: RunState) => plain(runLines(run, { skills: undefined, isAdoptable: false }, place));

test("each verdict has one word, on every surface", () => {
  const words = verdicts.map((verdict) => verdictWords[verdict].word);
  expect(new Set(words).size).toBe(words.length);
  for (const verdict of verdicts) {
    const { word } = verdictWords[verdict];
    const state = stateOf([], {}, summaryOf({ verdict: verdict as Summary["verdict"] }));
    expect(plain(listLines([state], 0))).toContain(word);
    expect(plain(verdictLines(summaryOf({ verdict: verdict as Summary["verdict"] }), 300))).toContain(word);
    expect(show(state)).toContain(word);
    expect(verdictOf(buildReport(state, folder).overview).word).toBe(word);
  }
});

test("each step has one word by its gate, on every surface", () => {
  for (const gate of ["rules", "strict"] as const)
    for (const action of actions) {
      const { word } = stepLook(action, gate === "rules");
      const state = stateOf([{ action, score: 0.5 }], {}, summaryOf({ gate }));
      const report = buildReport(state, folder);
      expect(plain(stepLines(state.rows[0] as RunState["rows"][number], 4, 300))).toContain(`  ${word} `);
      expect(wordsOf(action, report.settings).word).toBe(word);
      const shown = { state, calls: createLiveCalls(), caps: {}, now: 0 };
      expect(plain(progressLines(shown, { columns: 120, rows: 24, glyphs: unicodeGlyphs }))).toContain(
        `step 1 ${word}: why`,
      );
    }
});

test("no surface has words of its own for verdicts, steps and ends", () => {
  const looks = [
    ...Object.values(verdictWords),
    ...Object.values(stepWords),
    stepLook("accept", true),
    stepLook("reject", true),
  ];
  // single words have other uses, too
  const words = looks.map(({ word }) => word).filter((word) => word.includes(" "));
  expect(words).toContain("not proven");
  // as a text of its own, or words that nobody says any more
  const wrong = new RegExp(
    `["\`>](?:${words.join("|")})["\`<]|steps were done|did better|too few tasks to tell|Nothing changed`,
  );
  const files = ["src/apps", "src/report", "src/run", "ui/src"].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => join(root, name)),
  );
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.includes(".test."));
  expect(sources.length).toBeGreaterThan(200);
  expect(
    sources.flatMap((file) => {
      const [found] = wrong.exec(readFileSync(file, "utf8")) ?? [];
      return found === undefined ? [] : [`${file}: ${found}`];
    }),
  ).toEqual([]);
});

test("the end's line adds up to the digit, and no score is beyond 100%", () => {
  const score = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(score, score, (before, after) => {
      const text = confirmedSentence({ kept: 1, tried: 2 }, before, after);
      const [, from = "", to = "", sign = "", by = ""] =
        /val about ([\d.]+)% → ([\d.]+)%, ([+−])([\d.]+) points\.$/.exec(text) ?? [];
      if (from === "") {
        expect(text).toMatch(/val about [\d.]+%, as before\.$/);
        return;
      }
      const effect = (sign === "+" ? 1 : -1) * Number(by);
      expect(Math.abs(Number(from) + effect - Number(to))).toBeLessThan(0.01);
      expect(Math.max(Number(from), Number(to))).toBeLessThanOrEqual(100);
    }),
  );
});

test("a step's line has one estimate with its interval, so that a text which stays shows no gain", () => {
  const facts = { joined: [], left: [], givenUp: 1, open: 9 };
  const stays = stepSentence({ ...facts, score: 0.525, low: 0.4, high: 0.65 });
  expect(stays).toBe("1 dropped, 9 still being tested; val about 52.5% (40.0% to 65.0%)");
  expect(stepSentence({ ...facts, score: 0.3 })).toBe(
    "1 dropped, 9 still being tested; val 30.0%, the original",
  );
});

test("back at the original, no surface shows a gain of it over itself", () => {
  const state = stateOf(
    [
      { action: "accept_new_best", score: 0.6 },
      { action: "return_to_original", score: 0.5 },
    ],
    {},
  );
  const running: RunState = { ...state, status: "running", turns: [] };
  const shown = { state: running, calls: createLiveCalls(), caps: {}, now: 0 };
  const live = plain(progressLines(shown, { columns: 120, rows: 24, glyphs: unicodeGlyphs }));
  expect(live).toContain("50.0%, the original");
  expect(live).not.toContain("from 50.0%");
  expect(buildReport(running, folder).overview.sentence).toBe("Step 0 of 4; val 50.0%, the original.");
  expect(standingText(0.6, 0.5, false)).toBe("60.0%, from 50.0%");
  const kept = plain(verdictLines(summaryOf({ verdict: "unchanged" }), 300));
  expect(kept).toContain("val 50.0%");
  expect(kept).not.toContain("→");
});

test("what guidance made is never called a rejected step's", () => {
  const best = { step: 6, hash: "b", isGuidance: true };
  const text = plain(verdictLines(summaryOf({ verdict: "not-proven", gate: "strict", best }), 300));
  expect(text).toContain("not proven: skill from guidance after step 6");
  const turn = { turn: "guidance", step: 6, epoch: 3, action: "accept", reason: "why", score: 0.6 } as const;
  expect(plain(turnLines(turn, { gate: "strict" }, 300))).toBe("guidance of epoch 3  accepted   why");
});

test("chart, table, terminal and report have one val score for a step, and one for the end", () => {
  const steps = [
    { action: "accept_new_best", score: 0.685 },
    { action: "reject", score: 0.685 },
    { action: "accept", score: 0.71 },
  ] as const;
  const state = stateOf(steps, { action: "accept", score: 0.65 });
  const report = buildReport(state, folder);
  const figures = [0.5, 0.685, 0.685, 0.71, 0.65];
  expect(scorePoints(state).map(({ score }) => score)).toEqual(figures);
  const { baseline, steps: points, end, overview } = report;
  const curve = valCurve({ baseline: baseline?.value, steps: points, end, tasks: overview.tasks.val });
  expect(curve.map(({ estimate }) => estimate.value)).toEqual(figures);
});

test("why a search ended is said by train, runs show, report and web app", () => {
  const ended = "the skill solves every val task, so nothing can do better there";
  const reason = endedSentence({ steps: 2, planned: 4, ended });
  expect(reason).toBe(
    "The search ended after 2 of 4 steps: the skill solves every val task, so nothing can do better there.",
  );
  const summary = summaryOf({ verdict: "not-tested", ended, planned: 4 });
  const state = stateOf([{ action: "accept", score: 1 }], { reason }, summary);
  const report = buildReport(state, folder);
  expect(plain(verdictLines(summary, 300))).toContain(reason);
  expect(show(state)).toContain(reason);
  // what the page of the run prints below its steps
  expect(report.end?.sentence).toBe(reason);
  expect(endedSentence({ steps: 4, planned: 4 })).toBe("All 4 steps were done.");
});

test("the cost at the end is what the run bought, as runs show counts it, and the journal's part is told apart", () => {
  const target = { nanoUsd: 2e9, tokens: 10, calls: 129, usd: "$2" };
  const all = { ...target, nanoUsd: 3e9, calls: 154, usd: "$3" };
  const run = {
    bought: { target, total: target },
    summary: { cost: { target: all, total: all } },
    spent: target,
  };
  expect(costText(run)).toBe(
    `${formatUsd(2e9)} (target $2, 129 calls); the journal already had 25 calls from other runs`,
  );
});

test("what these tasks cannot prove is in the header, before money", () => {
  const limits = { possible: true, proof: false, tasksNeeded: 6, trialsNeeded: 2 };
  const few = provableSentence({ tasks: 5, trials: 10, limits, detectable: 0.22, detectableOnSome: 0.31 });
  expect(few).toBe(
    "The sealed test (5 tasks, 10 trials each) has 80% power to find a gain of 22 points or more on all tasks alike, or 31 on some topics only. Smaller gains will often stay unproven. So few tasks can show that a skill scores higher on them, but never that it's better.",
  );
  const seen = { tasks: 5, trials: 10, limits, detectable: 0.22, detectableOnSome: 0.31, read: 3 };
  expect(provableSentence(seen)).toMatch(/ It would be the 3rd text compared on these tasks\.$/);
  // a search may also end with the text that an earlier one was compared for
  expect(provableSentence({ ...seen, text: "A new text" })).toMatch(/ A new text would be the 3rd text /);
  expect(foundableSentence({ detectable: null })).toBe(
    "A comparison like this is unlikely to find any difference.",
  );
  const none = { ...limits, possible: false };
  expect(
    provableSentence({ tasks: 1, trials: 1, limits: none, detectable: null, detectableOnSome: null }),
  ).toBe("The test split is too small for any claim: 6 tasks or 2 trials would be enough.");
});

test("sentences of steps and ends", () => {
  expect([
    stepSentence({ joined: [3, 7], left: [2], givenUp: 1, open: 9, score: 0.71, low: 0.624, high: 0.796 }),
    confirmedSentence({ kept: 0, tried: 3 }, 0.5, 0.5),
    confirmedSentence({ kept: 2, tried: 3 }, 0.5, 0.63),
    keptSentence(2),
    keptSentence(0, "2 optimizer unparsable"),
  ]).toEqual([
    "added rules 3 and 7, removed rule 2; 1 dropped, 9 still being tested; val about 71.0% (62.4% to 79.6%)",
    "None of 3 rules is kept: val 50.0%, as before.",
    "2 of 3 rules are kept: val about 50.0% → 63.0%, +13.0 points.",
    "No candidate did better.",
    "There was no candidate: no proposed edit could be applied; 2 optimizer unparsable.",
  ]);
});

test("a rule is shown with points, their interval and one chance to help: no tasks that it moved", () => {
  // as a run of an earlier version wrote it down
  const moved = [{ task: "v01", with: 1, without: 0, rollouts: 4 }];
  const rules = foundRules.table.rules.map((rule) => ({ ...rule, helps: 0.31, harms: 0.02, moved }));
  const table = ruleTableSchema.parse({ ...foundRules.table, rules });
  const surfaces = {
    terminal: plain([...worthLines(table, "run1", 120), ...wholeWorthLines(table, 120)]),
    "diff and receipt": table.rules.map(ruleLabel).join("\n"),
    JSON: JSON.stringify(table),
  };
  for (const [name, text] of Object.entries(surfaces)) {
    expect(text, name).not.toMatch(/%.* likely|harms|moved|v01/);
    if (name !== "JSON") expect(text, name).toMatch(/\+3\.9\b.*\+1\.7 to \+6\.1/);
    if (name === "terminal") expect(text, name).toMatch(/\+1\.7 to \+6\.1\)[ |]+31%/);
  }
});
