import { expect, test } from "vitest";
import { saidOn } from "../../../test/support/wishes.ts";
import { daysText, saidText } from "./wish-words.ts";

test("every day once, with month and year where they end", () => {
  const days = ["2026-10-28", "2026-11-01", "2026-11-04", "2026-11-04", "2027-01-02"];
  expect(daysText(days.map((day) => Date.parse(day)))).toBe(
    "28 October, 1 and 4 (twice) November 2026; 2 January 2027",
  );
});

test("once for each conversation", () => {
  const said = [saidOn(1, "pnpm"), saidOn(4, "pnpm"), saidOn(4, "pnpm!"), saidOn(7, "pnpm")];
  expect(saidText({ said })).toBe("You said this 3 times: 1, 4 and 7 November 2026.");
  expect(saidText({ said: said.slice(0, 1) })).toBe("You said this once: 1 November 2026.");
});
