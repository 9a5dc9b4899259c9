import fc from "fast-check";
import { expect, test } from "vitest";
import { type Route, linkTo, parsePlace } from "./router.ts";

const word = fc.string({ minLength: 1, unit: "binary" }).filter((text) => text.isWellFormed());
const routes: fc.Arbitrary<Exclude<Route, { page: "nowhere" }>> = fc.oneof(
  fc.constant({ page: "runs" as const }),
  fc.constant({ page: "proposals" as const }),
  fc.record({ page: fc.constant("night-proposal" as const), id: word }),
  fc.record({ page: fc.constantFrom("run", "skill", "tasks", "proposal"), run: word }),
  fc.record({ page: fc.constant("step" as const), run: word, step: fc.nat() }),
  fc.record({ page: fc.constant("task" as const), run: word, task: word }),
);

test("every link leads to where it was made for", () => {
  fc.assert(
    fc.property(routes, fc.dictionary(word, word, { noNullPrototype: true }), (route, query) => {
      expect(parsePlace(linkTo(route, query))).toEqual({ route, query });
    }),
  );
});

test("an empty hash is the list of runs", () => {
  for (const hash of ["", "#", "#/", "#/runs"]) expect(parsePlace(hash).route).toEqual({ page: "runs" });
});

test("an unknown address is named, not guessed", () => {
  for (const path of [
    "run",
    "run/a/step/x",
    "run/a/step/1/2",
    "run/a/else",
    "compare/a/b",
    "runs/x",
    "proposals/a/b",
  ])
    expect(parsePlace(`#/${path}`).route).toEqual({ page: "nowhere", path });
});
