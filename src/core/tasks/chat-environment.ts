import { decodeFile, isBinary } from "../files.ts";
import { said } from "../scorers/score-task.ts";
import { usesCheck, usesKind } from "../scorers/uses-kind.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import type { Environment, EnvironmentContext, Question } from "./environment.ts";
import type { Invalid, Scored } from "./outcome.ts";
import type { Task } from "./task.ts";

/** One question and one answer, scored by the task's own answers or checks. We add no instructions of our own. */
export const chatEnvironment: Environment = {
  name: "chat",
  version: "1",
  throughContext: true,
  run: (task, skill, context) => answerInWords(task, skillText(skill), context),
};

/** Asks the model once, with this system text and then the task's contract, and scores its answer. */
export async function answerInWords(
  task: Task,
  instructions: string,
  { model, score: scoreBy }: Pick<EnvironmentContext, "model" | "score">,
): Promise<Scored | Invalid> {
  const missing = task.checkout === undefined ? undefined : missingWorkspace(task);
  if (missing !== undefined) return missing;
  const question = plainQuestion(task, instructions);
  const reply = await model.generate(question);
  const score = await scoreBy(task, said(reply.text, task));
  if ("kind" in score) return score;
  const cut = reply.finish === "length" ? " (the answer was cut off at the token limit)" : "";
  return {
    kind: "scored",
    ...score,
    feedback: score.feedback + cut,
    ...(reply.model === undefined ? {} : { model: reply.model }),
    conversation: [...question.messages, { role: "assistant", content: reply.text }],
  };
}

/** Makes a task's question: the system text followed by the task's contract, and the task. */
export function plainQuestion(task: Task, instructions: string): Question {
  const system = joinTexts([instructions, task.system ?? ""]);
  const messages = [
    ...(task.before ?? []).flatMap(({ prompt, answer }) => [
      { role: "user", content: prompt } as const,
      { role: "assistant", content: answer } as const,
    ]),
    { role: "user", content: userFor(task) } as const,
  ];
  return { ...(system === "" ? {} : { system }), messages };
}

/** Finds a check of files or tool calls, which a plain chat answer can't have. */
export function missingWorkspace(task: Task): Invalid | undefined {
  const kind = "command file tool-called tool-order skill-loaded"
    .split(" ")
    .find((name) => usesKind([task], name));
  const isElsewhere = usesCheck([task], ({ on = "answer" }) => on !== "answer");
  if (kind === undefined && !isElsewhere) return undefined;
  const reason = `its ${kind ?? "`on`"} check needs a workspace, which a chat model doesn't have; the target must be an agent`;
  return { kind: "invalid", reason };
}

/** Writes a skill as one text: the main file, then the others. */
export function skillText(skill: Skill): string {
  const others = Object.keys(skill.files)
    .filter((path) => path !== skill.main)
    .toSorted()
    .map((path) => `File ${path}:\n\n${textOf(skill.files[path] ?? "", longestText)}`);
  return joinTexts([mainText(skill), ...others]);
}

export const joinTexts = (texts: readonly string[]): string =>
  texts.filter((text) => text.trim() !== "").join("\n\n");

function userFor(task: Task): string {
  const files = Object.entries(task.files ?? {}).map(
    ([path, content]) => `File ${path}:\n\n${textOf(content)}`,
  );
  return [task.input, ...files].join("\n\n");
}

/** The longest text shown of a skill's own file, because every question would carry it. */
const longestText = 256 * 1024;

/** Shows only the size of a file that isn't text or is too long. */
const textOf = (content: string, longest = Number.POSITIVE_INFINITY): string =>
  isBinary(content) || content.length > longest
    ? `(${decodeFile(content).length} bytes, not shown)`
    : content;
