import { expect, test } from "vitest";
import { replaceRegion } from "../skill/regions.ts";
import { singleFileSkill } from "../skill/skill.ts";
import { estimateTokens } from "../work/estimate-tokens.ts";
import { ruleTokens } from "./search-rule.ts";

test("new guidance costs what it adds to the guidance before it", () => {
  const [before, after] = ["Look up every code twice.\nName the shelf.", "Look up every code."];
  const tokens = (base: string) =>
    ruleTokens(
      { change: { kind: "text", region: "slow-update", text: after, holds: [] } },
      singleFileSkill(base),
    );
  expect(tokens("# Desk\n")).toBe(estimateTokens(after));
  const guided = replaceRegion("# Desk\n", "slow-update", before);
  expect(tokens(guided)).toBe(estimateTokens(after) - estimateTokens(before));
  expect(tokens(guided)).toBeLessThan(0);
  expect(tokens(replaceRegion(guided, "appendix", "Be kind."))).toBe(tokens(guided));
});
