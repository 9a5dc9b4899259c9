import { expect, test } from "vitest";
import { sortRows } from "./sort-rows.ts";

const rows = [{ gain: 2 }, { gain: undefined }, { gain: -1 }, { gain: 7 }];
const columns = [
  { name: "Gain", sort: ({ gain }: { readonly gain: number | undefined }) => gain },
  { name: "Name" },
];

test("what was not measured stands last, up or down", () => {
  const gains = (down: boolean) => sortRows(rows, columns, { name: "Gain", down }).map(({ gain }) => gain);
  expect(gains(false)).toEqual([-1, 2, 7, undefined]);
  expect(gains(true)).toEqual([7, 2, -1, undefined]);
});

test("without a column to sort by, rows stay as they are", () => {
  expect(sortRows(rows, columns, undefined)).toBe(rows);
  expect(sortRows(rows, columns, { name: "Name", down: true })).toBe(rows);
});
