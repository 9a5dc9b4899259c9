import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import { mainText, singleFileSkill } from "../skill/skill.ts";
import { update } from "./update.ts";

const place = { role: "optimizer", step: 1, stage: "update" } as const;
const skill = singleFileSkill("# Skill\n\n- answer\n\n## More\n\n- answer\n");
const ambiguous = { op: "replace" as const, target: "- answer", content: "- reply", evidence: [] };

test("a target that occurs twice is offered back once, and then applied", async () => {
  const context = await scriptedContext(() => '{"targets":["## More\\n\\n- answer"]}');
  const { candidate, reports } = await update(skill, [ambiguous], place, context);
  // what only shows the place stays
  expect(mainText(candidate)).toBe("# Skill\n\n- answer\n\n## More\n\n- reply\n");
  expect(reports[0]?.status).toBe("applied_replace");
  expect(context.requests).toHaveLength(1);
});

test("a deletion takes its own words alone", async () => {
  const context = await scriptedContext(() => '{"targets":["## More\\n\\n- answer"]}');
  const edit = { op: "delete" as const, target: "- answer", evidence: [] };
  const { candidate } = await update(skill, [edit], place, context);
  expect(mainText(candidate)).toBe("# Skill\n\n- answer\n\n## More\n");
});

test("an answer that helps nothing leaves the edit refused and the others applied", async () => {
  const context = await scriptedContext(() => '{"targets":["- answer"]}');
  const append = { op: "append" as const, content: "- cite", evidence: [] };
  const { candidate, reports } = await update(skill, [ambiguous, append], place, context);
  expect(reports.map(({ status }) => status)).toEqual(["refused_ambiguous_target", "applied_append"]);
  expect(mainText(candidate)).toContain("- cite");
});
