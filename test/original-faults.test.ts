import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import faults from "./fixtures/original-faults.json" with { type: "json" };

const root = join(import.meta.dirname, "..");

test("every fault that was found in the original nights has tests that are called by its number", () => {
  const files = globSync(["src/**/*.test.ts", "test/*.test.ts", "ui/src/**/*.test.ts"], { cwd: root });
  const named = files.flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(/["'`]fault (\d+): /g)].map(([, number]) =>
      Number(number),
    ),
  );
  expect(faults).toHaveLength(30);
  expect([...new Set(named)].toSorted((one, other) => one - other)).toEqual(
    faults.map(({ number }) => number),
  );
});
