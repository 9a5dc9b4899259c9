import { expect, test } from "vitest";
import { nightlyTime } from "./nightly-time.ts";

test("a thousand projects without a time of their own use all minutes of the hour, none more than 40 times", () => {
  const times = Array.from({ length: 1000 }, (_, at) => nightlyTime(`/home/dev/work/project-${at}`));
  const counts = [...Map.groupBy(times, (time) => time).values()].map((same) => same.length);
  expect(counts).toHaveLength(60);
  expect(Math.max(...counts)).toBeLessThanOrEqual(40);
});
