import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import { buildLeakIndex } from "../guard/leak-index.ts";
import { editor } from "../prompts/editor.ts";
import { seededRandom } from "../random.ts";
import { mainText, singleFileSkill } from "../skill/skill.ts";
import { writeEdited } from "./edit-text.ts";

const place = { role: "optimizer", step: 3, stage: "update" } as const;
const head = "---\nname: desk\n---\n\n# Desk\n\nAnswer letters.\n\n";
const skill = singleFileSkill(`${head}- Be brief in every answer.\n- Sign each answer with your name.\n`);
const rules = [
  { id: "r1", text: "- Be brief in every answer." },
  { id: "r2", text: "- Sign each answer with your name." },
];
const secret = {
  id: "t",
  input: "How tall?",
  checks: [{ kind: "regex", value: "^exactly 4711 cubits tall$" }],
};
const guard = { skill, leaks: buildLeakIndex([secret]), contracts: [] };
const good = `${head}Every answer is brief\nand signed with your name.\n`;
const carried = [{ sentence: "Every answer is brief and signed with your name.", rules: ["r1", "r2"] }];

const run = async (text: string, sentences: unknown = carried, settings = {}) => {
  const context = await scriptedContext(() => JSON.stringify({ new_skill: text, sentences }), settings);
  return { context, edited: await writeEdited(skill, rules, "", guard, place, context) };
};

test("a shorter text that carries every rule is a candidate, and says which sentence carries which", async () => {
  const { context, edited } = await run(good);
  expect(edited).toMatchObject({ ok: true, sentences: carried });
  expect(edited.ok && mainText(edited.candidate)).toBe(good);
  expect(context.requests).toHaveLength(1);
  const asked = String(context.requests[0]?.messages[0]?.content);
  for (const { id, text } of rules) expect(asked).toContain(`"id": "${id}",\n   "text": "${text}"`);
});

test.each<[string, string, unknown, object]>([
  ["no sentence carries r2", good, [{ sentence: carried[0]?.sentence, rules: ["r1"] }], {}],
  ["does not hold the sentence", good, [{ sentence: "Signed by you.", rules: ["r1", "r2"] }], {}],
  ["tokens, ", `${mainText(skill)}\n${good}`, carried, {}],
  ["changed nothing", mainText(skill), [{ sentence: rules[0]?.text, rules: ["r1", "r2"] }], {}],
  ["frontmatter", good.replace("name: desk", "name: chair"), carried, {}],
  ["hidden character", good.replace("brief", "bri\u200Bef"), carried, {}],
  ["check", `${good}It is \`^exactly 4711 cubits tall$\`\n`, carried, {}],
  ["are allowed", good, carried, { maxSkillLength: 20 }],
  ["could not be used", "", carried, {}],
])("one is refused: %s", async (word, text, sentences, settings) => {
  const { edited } = await run(text, sentences, settings);
  expect(edited).toEqual({ ok: false, reason: expect.stringContaining(word) });
});

test("without rules nobody is asked", async () => {
  const context = await scriptedContext(() => "");
  expect(await writeEdited(skill, [], "", guard, place, context)).toMatchObject({ ok: false });
  expect(context.requests).toHaveLength(0);
});

test("a rehearsed reply is a candidate where a drawn rule can be shorter", async () => {
  const text = "Rule kabcdef: look at every part, and go over the whole once more.";
  const drawn = singleFileSkill(`# Desk\n\n- ${text}\n`);
  const context = await scriptedContext(({ messages }) => {
    const user = String(messages.at(-1)?.content);
    return JSON.stringify(
      editor.sample({ user, random: seededRandom("editor"), tasksPerConversation: 1, good: [] }),
    );
  });
  const edited = await writeEdited(
    drawn,
    [{ id: "r1", text: `- ${text}` }],
    "",
    { ...guard, skill: drawn },
    place,
    context,
  );
  expect(edited.ok && mainText(edited.candidate)).toBe("# Desk\n\n- Rule kabcdef: look at every part.\n");
});
