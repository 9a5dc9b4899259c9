import { expect, test } from "vitest";
import { foundRules } from "../../../test/support/measured-rules.ts";
import { forestRule, worthNote } from "./measured-rules.tsx";

test("a rule is shown with points and their interval, and no chance to help", () => {
  // as a run of an earlier version wrote it down
  const earlier = { helps: 0.31 };
  const rows = foundRules.table.rules.map((rule) => forestRule("run1", { ...rule, ...earlier }));
  const text = [worthNote, ...rows.map(({ worth, figures = [] }) => [worth, ...figures].join(" "))].join(
    "\n",
  );
  expect(text).not.toMatch(/31 ?%|helps|chance|likely/);
  expect(text).toContain("+3.9 +2.1 to +5.7 11 tokens");
});
