// SearchQA: rows as SkillOpt materialises them, { id, question, context, answers }, scored by exact match and token F1.
// No environment is needed: a question with its passages is one call, and the rows are read as they are.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { learn, toyOptimizer, toyTarget } from "./toy-models.ts";

const first = ["Ada", "Imre", "Noor", "Paul", "Lena", "Otto", "Ruth", "Tariq", "Vera"];
const last = ["Quill", "Hale", "Stone", "Marsh", "Falk", "Brandt", "Osei", "Lund", "Petri", "Sato"];
const titles = ["Dr.", "Professor", "Captain", "Sir"];

const rows = Array.from({ length: 120 }, (_, at) => {
  const name = `${first[at % 9]} ${last[(at * 7) % 10]}`;
  const other = `${first[(at + 4) % 9]} ${last[(at * 3 + 1) % 10]}`;
  return {
    id: `q${at}`,
    question: `Who built bridge number ${at}?`,
    context: `[DOC] Bridge ${at + 1} is the work of ${other}. [DOC] In 18${10 + (at % 80)}, ${titles[at % 4]} ${name} built bridge ${at}, against all advice.`,
    answers: [name],
  };
});

/** Train, val and test as folders, each with one file of rows. */
const folder = mkdtempSync(join(tmpdir(), "searchqa-"));
for (const [at, split] of ["train", "val", "test"].entries()) {
  mkdirSync(join(folder, split));
  writeFileSync(join(folder, split, "items.json"), JSON.stringify(rows.slice(at * 40, at * 40 + 40)));
}

/** Finds the passage, and copies the name with its title unless it is told otherwise. */
const target = toyTarget((system, { messages }) => {
  const asked = messages.at(-1)?.content ?? "";
  const [, number = ""] = /bridge number (\d+)\?/.exec(asked) ?? [];
  const [, name = ""] = new RegExp(`, ((?:[A-Z][a-z.]+ )+)built bridge ${number},`).exec(asked) ?? [];
  return /without .*titles?/i.test(system)
    ? name.trim().replace(/^(?:Dr\.|Professor|Captain|Sir) /, "")
    : name.trim();
});

await learn({
  skill: {
    main: "SKILL.md",
    files: { "SKILL.md": "# Answering from passages\n\n- Answer from the passages alone.\n" },
  },
  tasks: folder,
  metric: "mixed",
  target,
  optimizer: toyOptimizer([
    "Give a person's name without any titles such as Dr. or Sir.",
    "Read the passages from the last one to the first.",
  ]),
});
