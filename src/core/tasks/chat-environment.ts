import { decodeFile, isBinary } from "../files.ts";
import { said } from "../scorers/score-task.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import type { Environment } from "./environment.ts";
import type { Task } from "./task.ts";

/** One question, one answer, scored by the task's own answers or checks. Our frame around both is neutral. */
export const chatEnvironment: Environment = {
  name: "chat",
  version: "1",
  throughContext: true,
  async run(task, skill, { model, score: scoreBy }) {
    const system = systemFor(skill, task);
    const user = userFor(task);
    const reply = await model.generate({
      ...(system === "" ? {} : { system }),
      messages: [{ role: "user", content: user }],
    });
    const score = await scoreBy(task, said(reply.text, task));
    if ("kind" in score) return score;
    const cut = reply.finish === "length" ? " (the answer was cut off at the token limit)" : "";
    return {
      kind: "scored",
      ...score,
      feedback: score.feedback + cut,
      conversation: [
        { role: "user", content: user },
        { role: "assistant", content: reply.text },
      ],
    };
  },
};

function systemFor(skill: Skill, task: Task): string {
  const others = Object.keys(skill.files)
    .filter((path) => path !== skill.main)
    .toSorted()
    .map((path) => `File ${path}:\n\n${textOf(skill.files[path] ?? "", longestText)}`);
  return [mainText(skill), ...others, task.system ?? ""].filter((part) => part.trim() !== "").join("\n\n");
}

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
