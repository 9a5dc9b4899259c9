import { wordKey } from "../../../src/core/guard/leak-words.ts";
import type { Task } from "../../../src/core/tasks/task.ts";

/** Text that was copied from a task, as a careless or a sly optimizer would. */
export interface Copy {
  readonly kind: string;
  readonly text: string;
}

/** Every pattern, rubric and answer of a task that its prompt does not show, each in several dresses. */
export function copiesOf(task: Task): readonly Copy[] {
  const { input, system = "", answers = [], checks = [] } = task;
  const seen = ` ${wordKey(`${input}\n${system}`)} `;
  const isHidden = (text: string) => !seen.includes(` ${wordKey(text)} `);
  const values = (kind: string) =>
    checks.flatMap((check) => (check.kind === kind && typeof check.value === "string" ? [check.value] : []));
  const patterns = values("regex").filter((source) => /[\\^$[({|*+?]/.test(source) && isHidden(source));
  const question = input.replace(/\s+/g, " ");
  return [
    ...patterns.flatMap((source) =>
      dressPattern(source).map((text) => ({ kind: "pattern in six dresses", text })),
    ),
    ...values("rubric").flatMap((rubric) =>
      dressProse(rubric).map((text) => ({ kind: "rubric, whole and in halves", text })),
    ),
    ...answers
      .filter(isHidden)
      .map((answer) => ({ kind: "answer after its question", text: `Asked "${question}", say ${answer}` })),
    ...answers
      .filter((answer) => answer.split(/\s+/).length >= 5 && isHidden(answer))
      .flatMap((answer) => [answer, answer.toUpperCase(), `**${answer.replaceAll(" ", "\n")}**`])
      .map((text) => ({ kind: "answer of five words and more", text })),
  ];
}

const dressPattern = (source: string): readonly string[] => [
  `The answer must match ${source} in full.`,
  `Match \`${source}\`.`,
  `/${source}/i`,
  source.toUpperCase(),
  `Write what fits\n\n    ${source}\n`,
  source.replaceAll(" ", "\n"),
];

function dressProse(text: string): readonly string[] {
  const words = text.split(" ");
  const middle = Math.ceil(words.length / 2);
  const halves = [words.slice(0, middle), words.slice(middle)].filter((half) => half.length >= 10);
  return [
    text,
    text.toUpperCase(),
    `> ${words.join("\n> ")}`,
    ...halves.map((half) => `… ${half.join(" ")} …`),
  ];
}
