// Mathematics with choices, in the shape of LiveMathematicianBench: { id, question, choices, correct_choice }.
// The importer writes the choices below the question and asks for the letter alone.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { learn, toyOptimizer, toyTarget } from "./toy-models.ts";

const labels = ["A", "B", "C", "D"];

const rows = Array.from({ length: 120 }, (_, at) => {
  const [people, size] = [6 + (at % 9), 2 + (at % 3)];
  const ordered = Array.from({ length: size }, (_none, step) => people - step).reduce((a, b) => a * b, 1);
  const factorial = [1, 1, 2, 6, 24][size] ?? 1;
  const isOrdered = at % 2 === 0;
  const right = isOrdered ? ordered : ordered / factorial;
  const wrong = isOrdered ? ordered / factorial : ordered;
  const place = (at * 7) % 4;
  const others = [wrong, right + 1, wrong + 2];
  const choices = labels.map((label, index) => ({
    label,
    text: String(index === place ? right : others.shift()),
  }));
  const what = isOrdered
    ? "a chair, a clerk and so on, each with a post of their own"
    : "a committee in which all are equal";
  return {
    id: `202611:${at}`,
    question: `Round ${at}: from ${people} people, ${size} are chosen as ${what}. In how many ways can that be done?`,
    choices,
    correct_choice: { label: labels[place], text: String(right) },
  };
});

const folder = mkdtempSync(join(tmpdir(), "math-"));
for (const [at, split] of ["train", "val", "test"].entries()) {
  mkdirSync(join(folder, split));
  writeFileSync(join(folder, split, "items.json"), JSON.stringify(rows.slice(at * 40, at * 40 + 40)));
}

/** Counts ordered choices always, until it is told what to ask first. */
const target = toyTarget((system, { messages }) => {
  const asked = messages.at(-1)?.content ?? "";
  const [, people = "0", size = "0"] = /from (\d+) people, (\d+) are/.exec(asked) ?? [];
  let ways = 1;
  for (let step = 0; step < Number(size); step += 1) ways *= Number(people) - step;
  const isEqual = asked.includes("all are equal");
  if (isEqual && /order/i.test(system)) for (let step = 2; step <= Number(size); step += 1) ways /= step;
  return new RegExp(`^([A-D])\\) ${ways}$`, "m").exec(asked)?.[1] ?? "A";
});

await learn({
  skill: {
    main: "SKILL.md",
    files: { "SKILL.md": "# Counting\n\n- Work out the number before you look at the choices.\n" },
  },
  tasks: folder,
  target,
  optimizer: toyOptimizer([
    "Ask first whether order matters; where it does not, divide by the ways to arrange those who were chosen.",
    "Prefer the smallest of the choices.",
  ]),
});
