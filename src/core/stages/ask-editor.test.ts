import { expect, test } from "vitest";
import { contractOf, scriptedContext } from "../../../test/support/scripted-context.ts";
import { buildLeakIndex } from "../guard/leak-index.ts";
import type { RulePassage } from "../prompts/editor.ts";
import { singleFileSkill } from "../skill/skill.ts";
import { askEditor } from "./ask-editor.ts";

const place = { role: "optimizer", step: 3, stage: "confirm" } as const;
const skill = singleFileSkill("# Desk\n\nAnswer letters.\n\n- Keep it short.\n");
const rules = [
  { id: "1", text: "- Be brief in every answer." },
  { id: "2", text: "- Sign each answer with your name." },
  { id: "3", text: "- Every answer carries your name." },
];
const secret = {
  id: "t",
  input: "How tall?",
  checks: [{ kind: "regex", value: "^exactly 4711 cubits tall$" }],
};
const guard = { skill, leaks: buildLeakIndex([secret]), contracts: [] };
const passage = (ids: readonly string[], content: string, more: Partial<RulePassage> = {}): RulePassage => ({
  rules: [...ids],
  op: "append",
  content,
  ...more,
});
const brief = passage(["1"], "- Be brief in every answer.");
const signed = passage(["2", "3"], "- Sign each answer with your name.");

const run = async (passages: readonly RulePassage[], lost: readonly string[] = []) => {
  const context = await scriptedContext((request) => {
    if (contractOf(request) === "editor") return JSON.stringify({ passages });
    const ids = [...(request.messages[0]?.content ?? "").matchAll(/"id": "(.+)"/g)].map(([, id = ""]) => id);
    return JSON.stringify({ answers: ids.map((id) => ({ id, carried: !lost.includes(id) })) });
  });
  const edited = await askEditor({ skill, rules, contracts: "", guard, place }, context);
  return { edited, requests: context.requests };
};

test("rules that say the same share a passage, and only changed words are asked about", async () => {
  const { edited, requests } = await run([brief, signed]);
  expect(edited).toEqual({ ok: true, passages: [brief, signed] });
  expect(requests.map(contractOf)).toEqual(["editor", "carries"]);
  const asked = requests[1]?.messages[0]?.content ?? "";
  expect(asked.match(/"id": ".+"/g)).toEqual(['"id": "3"']);
});

test("a line of the skill that a passage replaces must be carried too", async () => {
  const short = passage(["1"], "- Be brief in every answer.", { op: "replace", target: "Keep it short" });
  expect((await run([short, signed])).edited.ok).toBe(true);
  expect((await run([short, signed], ["line 1"])).edited).toEqual({
    ok: false,
    reason: "the new words don't carry line 1",
  });
});

test.each<[string, readonly RulePassage[], readonly string[]]>([
  ["rule 1 doesn't belong to exactly one passage", [signed], []],
  ["rule 1 doesn't belong to exactly one passage", [brief, brief, signed], []],
  ["names a rule that isn't there", [brief, signed, passage(["9"], "- Smile.")], []],
  ["don't carry rule 3", [brief, signed], ["3"]],
  ["check", [passage(["1"], "It is `^exactly 4711 cubits tall$`"), signed], []],
])("one is refused: %s", async (word, passages, lost) => {
  const { edited } = await run(passages, lost);
  expect(edited).toEqual({ ok: false, reason: expect.stringContaining(word) });
});
