import { decodeFile, isBinary } from "../files.ts";
import { said } from "../scorers/score-task.ts";
import { usesCheck, usesKind } from "../scorers/uses-kind.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import type { Environment, EnvironmentContext, Question } from "./environment.ts";
import type { Invalid, Scored } from "./outcome.ts";
import type { Task } from "./task.ts";

/** One question, one answer, scored by the task's own answers or checks. Our frame around both is neutral. */
export const chatEnvironment: Environment = {
  name: "chat",
  version: "1",
  throughContext: true,
  run: (task, skill, context) => answerInWords(task, skillText(skill), context),
};

/** Asks the model once with this system text and the task's contract after it, and scores what it says. */
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

/** The question that a task becomes: the system text with the task's contract after it, and the task. */
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

/** Words change no file and call no tool: a check of those would judge what nobody has done. */
export function missingWorkspace(task: Task): Invalid | undefined {
  const kind = "command file tool-called tool-order skill-loaded"
    .split(" ")
    .find((name) => usesKind([task], name));
  const isElsewhere = usesCheck([task], ({ on = "answer" }) => on !== "answer");
  if (kind === undefined && !isElsewhere) return undefined;
  const reason = `its ${kind ?? "`on`"} check looks at what was done in a workspace, and a chat model has none; the target must be an agent`;
  return { kind: "invalid", reason };
}

/** A skill as text: the main file, then the others. */
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

/** Of the skill's own files, which every single question would carry. */
const longestText = 256 * 1024;

/** The size stands for what is not text, or too long. */
const textOf = (content: string, longest = Number.POSITIVE_INFINITY): string =>
  isBinary(content) || content.length > longest
    ? `(${decodeFile(content).length} bytes, not shown)`
    : content;
