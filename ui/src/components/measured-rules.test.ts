import { expect, test } from "vitest";
import { foundRules } from "../../../test/support/measured-rules.ts";
import { forestRule, worthNote } from "./measured-rules.tsx";

test("a rule is shown with points, their interval and its chance to help", () => {
  const earlier = { helps: 0.31 };
  const rows = foundRules.table.rules.map((rule) => forestRule("run1", { ...rule, ...earlier }));
  const text = [worthNote, ...rows.map(({ worth, figures = [] }) => [worth, ...figures].join(" "))].join(
    "\n",
  );
  expect(text).toContain("+3.9 +1.7 to +6.1 helps: 31% 11 tokens");
});
