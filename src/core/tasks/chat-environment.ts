import { scoreAnswer } from "../scorers/score-answer.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import type { Environment } from "./environment.ts";
import type { Task } from "./task.ts";

/** One question, one answer, scored by the task's own answers or checks. Our frame around both is neutral. */
export const chatEnvironment: Environment = {
  name: "chat",
  version: "1",
  modelOnly: true,
  async run(task, skill, { model }) {
    const system = systemFor(skill, task);
    const user = userFor(task);
    const reply = await model.generate({
      ...(system === "" ? {} : { system }),
      messages: [{ role: "user", content: user }],
    });
    const score = scoreAnswer(task, reply.text);
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
    .map((path) => `File ${path}:\n\n${skill.files[path]}`);
  return [mainText(skill), ...others, task.system ?? ""].filter((part) => part.trim() !== "").join("\n\n");
}

function userFor(task: Task): string {
  const files = Object.entries(task.files ?? {}).map(([path, text]) => `File ${path}:\n\n${text}`);
  return [task.input, ...files].join("\n\n");
}
