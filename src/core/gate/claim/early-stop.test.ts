import fc from "fast-check";
import { expect, test } from "vitest";
import type { ClaimPair, FinishedPair } from "./claim-pair.ts";
import { searchP } from "./claim-p.ts";
import { earlyStop } from "./early-stop.ts";

const score = fc.oneof(
  fc.constantFrom(0, 1),
  fc.integer({ min: 0, max: 20 }).map((steps) => steps / 20),
);
const finished = fc.integer({ min: 1, max: 3 }).chain((trials) => {
  const arm = fc.array(score, { minLength: trials, maxLength: trials });
  return fc.array(fc.record({ incumbent: arm, candidate: arm }), { minLength: 1, maxLength: 24 });
});
const alpha = fc.constantFrom(0.03, 0.05, 0.1, 0.125, 0.25);

test("a stop never changes the decision, wherever the results stand", () => {
  fc.assert(
    fc.property(finished, alpha, fc.boolean(), (pairs, alpha, incumbentKnown) => {
      const full = searchP(pairs) <= alpha ? "accept" : "reject";
      for (let done = 0; done <= pairs.length; done += 1) {
        const stop = earlyStop(
          pairs.map((pair, task) => (task < done ? pair : open(pair, incumbentKnown))),
          alpha,
        );
        if (stop !== "continue") expect(stop).toBe(full);
        if (done === pairs.length) expect(stop).toBe(full);
      }
    }),
  );
});

test("a candidate that cannot win any more is rejected before the end", () => {
  const lost = { incumbent: [1], candidate: [0] };
  const wide = { incumbent: [1], candidate: [null] };
  expect(earlyStop([lost, ...Array.from({ length: 11 }, () => wide)], 0.05)).toBe("reject");
});

test("nothing to compare is no claim", () => {
  expect(earlyStop([], 0.05)).toBe("reject");
});

function open(pair: FinishedPair, incumbentKnown: boolean): ClaimPair {
  const nothing = pair.candidate.map(() => null);
  return { incumbent: incumbentKnown ? pair.incumbent : nothing, candidate: nothing };
}
