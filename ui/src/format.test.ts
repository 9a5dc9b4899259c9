import { expect, test } from "vitest";
import { shortPath } from "./format.ts";

test("a long path keeps the end that tells it from others", () => {
  expect(shortPath("office/SKILL.md")).toBe("office/SKILL.md");
  expect(shortPath("/home/somebody/projects/parcels/skills/office/SKILL.md")).toBe(
    "…/parcels/skills/office/SKILL.md",
  );
  expect(shortPath(`/a/${"x".repeat(50)}`)).toBe(`…/${"x".repeat(50)}`);
});
