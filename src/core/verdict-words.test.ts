import { expect, test } from "vitest";
import { claimVerdict } from "./gate/claim/claim-verdict.ts";
import { claimSentence, isProof, nextStep, oneIn, verdictWords } from "./verdict-words.ts";
import { hostSentences } from "./blind-words.ts";

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test("a verdict says what was tested, in the currency of its test, with the bar beside the p", () => {
  const claim = claimVerdict(
    [...times(10, { incumbent: [0], candidate: [1] }), ...times(5, { incumbent: [1], candidate: [1] })],
    {
      alpha: 0.03,
    },
  );
  expect(claimSentence(claim, { read: 2 })).toBe(
    "Better: +66.7 points (94.0 % interval +29.4 to +100.0; 10 of 15 tasks up, 0 down, 5 equal). p = 0.00098, and the bar is 0.030: if both texts behaved alike, a difference like this would come one time in 1,000. Read 2 of these test tasks.",
  );
});

test("what a handful of tasks shows is said of these tasks, in trials", () => {
  const claim = claimVerdict(times(5, { incumbent: [0, 0, 1], candidate: [1, 1, 1] }), { alpha: 0.03 });
  const sentence = claimSentence(claim);
  expect(sentence).toMatch(
    /^Higher on these 5 tasks: \+66\.7 points \(.*; 5 → 15 of 15 trials\)\. p = .*It says nothing of other tasks\.$/,
  );
});

test("drift stands beside the verdict, never in its place", () => {
  const claim = claimVerdict(times(30, { incumbent: [1], candidate: [1] }), { alpha: 0.03 });
  const sentence = claimSentence(claim, { drift: { size: -0.1, p: 0.003 }, seen: ["a", "b"] });
  expect(sentence).toMatch(/^No difference worth having: /);
  expect(sentence).toContain(
    "Drift: the target itself moved by −10.0 points meanwhile (by chance one time in 330)",
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
    "p = 0.063, and the bar is 0.030: if both texts behaved alike, a difference like this would come one time in 16.",
  );
});

test("a model that changed meanwhile is named", () => {
  const claim = claimVerdict(times(30, { incumbent: [1], candidate: [1] }), { alpha: 0.03 });
  expect(claimSentence(claim, { models: ["m-1", "m-2"] })).toContain(
    "The model changed meanwhile: the provider answered as m-1, m-2.",
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
