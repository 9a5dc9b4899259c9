import { expect, test } from "vitest";
import { claimVerdict } from "./gate/claim/claim-verdict.ts";
import {
  type ClaimWord,
  claimSentence,
  isProof,
  nextStep,
  oneIn,
  verdictParts,
  verdictWords,
} from "./verdict-words.ts";
import { askedSentences, nth } from "./asked-words.ts";
import { hostSentences } from "./blind-words.ts";
import { seededRandom } from "./random.ts";

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test("a verdict says what was tested, in the currency of its test, with the bar beside the p", () => {
  const claim = claimVerdict(
    [...times(10, { incumbent: [0], candidate: [1] }), ...times(5, { incumbent: [1], candidate: [1] })],
    {
      alpha: 0.03,
    },
  );
  expect(claimSentence(claim, { asked: { read: 12, fresh: 4 } })).toBe(
    "Better: +66.7 points (95% interval +28.0 to +100.0; 10 of 15 tasks up, 0 down, 5 equal). One-sided p = 0.00098 (threshold 0.030): if both texts behaved alike, a difference this large in either direction would come one time in 510. Of tasks like these, up to 22% could fall. The 12th text compared on these tasks in this journal, 4 of which are new. Each one makes a gain harder to show; new tasks make up for it.",
  );
});

test("what is left of an account is said in words", () => {
  expect(askedSentences({ read: 1 })).toEqual(["The first text compared on these tasks in this journal."]);
  expect(askedSentences({ read: 3, texts: 4, memory: "fades" })).toEqual([
    "4 texts were compared at once and count as one: the 3rd comparison on these tasks.",
    "Each one makes a gain harder to show; new tasks make up for it.",
    "In CI, earlier comparisons fade: each counts half after 30 more.",
  ]);
  expect(askedSentences({ read: 1, look: 2 })).toEqual([
    "This text was compared before, as the first on these tasks in this journal.",
    "Look 2 at the same texts: looks share one threshold.",
  ]);
  expect([1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(nth).join(" ")).toBe(
    "first 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th",
  );
});

test("a loss is held to the bar of worse, which doesn't fall", () => {
  const claim = claimVerdict(times(8, { incumbent: [1], candidate: [0] }), {
    alpha: 0.001,
    alphaWorse: 0.02,
  });
  expect(claimSentence(claim)).toMatch(/^Worse: .* One-sided p = 0\.0039 \(threshold 0\.020\):/);
});

test("what a handful of tasks shows is said of these tasks, in trials", () => {
  const claim = claimVerdict(times(5, { incumbent: [0, 0, 1], candidate: [1, 1, 1] }), { alpha: 0.03 });
  const sentence = claimSentence(claim);
  expect(sentence).toMatch(
    /^Higher on these 5 tasks: \+66\.7 points \(.*; 5 → 15 of 15 trials\)\. One-sided p = .*It says nothing about other tasks\. Of tasks like these, up to 53% could fall\.$/,
  );
});

test("drift stands beside the verdict, never in its place", () => {
  const claim = claimVerdict(times(60, { incumbent: [1], candidate: [1] }), { alpha: 0.03 });
  const sentence = claimSentence(claim, { drift: { size: -0.1, p: 0.003 }, seen: ["a", "b"] });
  expect(sentence).toMatch(/^No difference worth having: /);
  expect(sentence).toContain(
    "Drift: the target itself moved by −10.0 points during the test (by chance one time in 330)",
  );
  expect(sentence).toContain("2 of these tasks helped to make one of the skills");
});

test("only what speaks of tasks like these is a proof", () => {
  const proofs = Object.keys(verdictWords).filter((word) => isProof(word as keyof typeof verdictWords));
  expect(proofs).toEqual(["better", "not-worse"]);
});

test("odds have two digits and a limit", () => {
  expect([0.5, 0.031, 0.00047, 1e-9].map(oneIn)).toEqual(["2", "32", "2,100", "more than a million"]);
});

test("what is not proven and fell says how often that comes by chance", () => {
  const claim = claimVerdict(
    [...times(4, { incumbent: [1], candidate: [0] }), ...times(10, { incumbent: [1], candidate: [1] })],
    { alpha: 0.03 },
  );
  expect(claimSentence(claim)).toContain(
    "One-sided p = 0.063 (threshold 0.030): if both texts behaved alike, a difference this large in either direction would come one time in 8.",
  );
});

test("a model that changed meanwhile is named", () => {
  const claim = claimVerdict(times(30, { incumbent: [1], candidate: [1] }), { alpha: 0.03 });
  expect(claimSentence(claim, { models: ["m-1", "m-2"] })).toContain(
    "The model changed during the test: the provider answered as m-1, m-2.",
  );
});

test("after a comparison with no skill there is no earlier one to keep or to take", () => {
  for (const verdict of ["better", "worse", "no-difference"] as const) {
    expect(nextStep({ verdict })).toMatch(/earlier|later|shorter/);
    expect(nextStep({ verdict }, "no skill")).not.toMatch(/earlier|later|shorter/);
  }
  expect(nextStep({ verdict: "higher" }, "no skill")).toBe(nextStep({ verdict: "higher" }));
});

test("one host that answered for all is named; several are counted", () => {
  expect(hostSentences(undefined, 4)).toEqual([]);
  expect(hostSentences({ "api.openai.com": 120 }, 120)).toEqual(["Measured at api.openai.com."]);
  expect(hostSentences({ "api.openai.com": 108, "127.0.0.1": 12 }, 120)).toEqual([
    "12 of 120 results came from 127.0.0.1, 108 of 120 results came from api.openai.com.",
  ]);
});

test("the chance is of either direction: twice the one-sided p, which a simulation of equal skills meets", () => {
  const pairs = [
    ...times(7, { incumbent: [0], candidate: [1] }),
    ...times(3, { incumbent: [1], candidate: [0] }),
  ];
  const claim = claimVerdict(pairs, { alpha: 0.03 });
  const random = seededRandom("either direction");
  const flips = Array.from({ length: 20_000 }, () =>
    Math.abs(times(10, 0).reduce((sum) => sum + (random() < 0.5 ? 1 : -1), 0)),
  );
  const either = flips.filter((size) => size >= 4).length / flips.length;
  expect(2 * claim.p).toBeGreaterThan(either - 0.01);
  expect(2 * claim.p).toBeLessThan(either + 0.01);
  expect(claimSentence(claim)).toContain(`in either direction would come one time in ${oneIn(2 * claim.p)}.`);
});

test("a better on few graded tasks says how many tasks like these could still fall", () => {
  const graded = (tasks: number) =>
    claimVerdict(times(tasks, { incumbent: [0.5], candidate: [0.55] }), { alpha: 0.03 });
  expect(claimSentence(graded(12))).toContain(
    "As few as 12 tasks with graded scores can miss a rare, large fall. None did here, and up to 27% of tasks like these still could.",
  );
  expect(claimSentence({ ...graded(12), verdict: "worse" })).toContain("can miss a rare, large rise. 12 did");
  expect(claimSentence(graded(30))).not.toContain("graded scores");
  expect(claimSentence(graded(30))).toContain("Of tasks like these, up to 12% could fall.");
  const passFail = claimVerdict(times(12, { incumbent: [0], candidate: [1] }), { alpha: 0.03 });
  expect(claimSentence(passFail)).not.toContain("graded scores");
  // what never passes can't fall
  expect(claimSentence(passFail)).not.toContain("could fall");
});

test("every verdict names the worst group with its bound, or says how many tasks could fall", () => {
  const up = { incumbent: [0, 0], candidate: [1, 1] };
  const down = { incumbent: [1, 1], candidate: [0, 0] };
  const groups = [...times(20, "billing"), ...times(8, "refunds"), ...times(8, "")];
  const pairs = [...times(20, up), ...times(8, down), ...times(8, up)];
  const claim = claimVerdict(pairs, { alpha: 0.03, groups });
  expect(claim.verdict).toBe("better");
  expect(claimSentence(claim)).toMatch(
    / Worse on one group: refunds, −100\.0 points on 8 tasks, at worst −100\.0 points \(corrected for 2 groups\)\./,
  );
  const even = claimVerdict([...times(20, up), ...times(8, { incumbent: [1, 0], candidate: [0, 1] })], {
    alpha: 0.03,
    groups: groups.slice(0, 28),
  });
  expect(claimSentence(even)).toMatch(/ Worst of 2 groups: refunds, \+0\.0 points on 8 tasks, at worst −\d/);
  const few = claimVerdict(times(20, { incumbent: [0], candidate: [1] }), {
    alpha: 0.03,
    groups: [...times(17, "a"), ...times(3, "b")],
  });
  expect(
    claimSentence({ ...few, worst: { ...few.worst!, name: "b", tasks: 3, bound: undefined! } }),
  ).toContain("Worst of 2 groups: b, +100.0 points on 3 tasks, too few results for a bound.");
  for (const verdict of Object.keys(verdictWords) as (keyof typeof verdictWords)[]) {
    if (["undecided", "not-worse", "no-loss", "not-tested", "unchanged", "identical"].includes(verdict))
      continue;
    const sentence = claimSentence({ ...even, worst: undefined!, verdict: verdict as ClaimWord });
    expect(sentence, verdict).toMatch(/up to \d+% could fall\./);
  }
});

test("what is shown of these tasks alone is never a proof, and says so", () => {
  const even = claimVerdict(times(30, { incumbent: [1], candidate: [1] }), { alpha: 0.03 });
  expect(claimSentence(even)).toMatch(
    /^No difference worth having on these 30 tasks: .*It says nothing about other tasks\./,
  );
  for (const word of ["higher", "lower", "even", "no-loss"] as const) {
    expect(isProof(word)).toBe(false);
    expect(verdictWords[word]).toMatchObject({
      tone: "open",
      word: expect.stringContaining("on these tasks"),
    });
  }
});

test("a screen has three numbers and what the sentence says beyond them, each once", () => {
  const claim = claimVerdict(
    [...times(10, { incumbent: [0], candidate: [1] }), ...times(5, { incumbent: [1], candidate: [1] })],
    { alpha: 0.03 },
  );
  const sentence = claimSentence(claim, { asked: { read: 1 } });
  const { figures, details } = verdictParts({ sentence, claim });
  expect(figures).toEqual([
    { value: "+66.7 points", note: "95% interval +28.0 to +100.0; 10 of 15 tasks up, 0 down, 5 equal" },
    {
      value: "p = 0.00098",
      note: expect.stringMatching(/^threshold 0\.030; if both texts .* one time in 510$/),
    },
  ]);
  expect(details).toBe(
    "Of tasks like these, up to 22% could fall. The first text compared on these tasks in this journal.",
  );
  // where no gain is claimed, the sentence alone
  const withheld = { ...claim, verdict: "withheld" } as const;
  expect(verdictParts({ sentence: "Withheld.", claim: withheld })).toEqual({
    figures: [],
    details: "Withheld.",
  });
});
