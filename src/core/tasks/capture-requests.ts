import type { ModelRequest, Reply } from "../ports/model.ts";
import { byteLength } from "../work/estimate-tokens.ts";
import type { TrainSettings } from "../settings.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { chatEnvironment } from "./chat-environment.ts";
import type { Environment, EnvironmentContext } from "./environment.ts";
import type { Task } from "./task.ts";

type Asked = Pick<ModelRequest, "system" | "messages">;

/**
 * Captures the requests that a rollout would send to the target, without sending them. This only works if the
 * environment acts through the model alone. For any other, the plain question represents its calls.
 */
export async function captureRequests(
  task: Task,
  skill: Skill,
  environment: Environment,
  { seed, extras }: TrainSettings,
): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  const [answer = ""] = task.answers ?? [];
  const context: EnvironmentContext = {
    split: "train",
    seed,
    trial: 0,
    extras,
    signal: new AbortController().signal,
    model: {
      async generate(question) {
        asked.push(question);
        return { ...emptyReply, text: answer };
      },
    },
    judge: { generate: async () => emptyReply },
    command: async () => ({ exitCode: 0, stdout: "", stderr: "", ended: "exit" }),
    score: async () => ({ hard: 0, soft: 0, feedback: "" }),
  };
  const tried = environment.throughContext === true ? environment : chatEnvironment;
  await tried.run(task, skill, context).catch(() => undefined);
  return asked.length > 0
    ? asked
    : [{ system: mainText(skill), messages: [{ role: "user", content: task.input }] }];
}

const emptyReply: Reply = { text: "", finish: "stop", usage: { inputTokens: 0, outputTokens: 0 } };

/** Bytes of text in a request. */
export function requestBytes({ system = "", messages }: Asked): number {
  return [system, ...messages.map(({ content }) => content)].reduce((sum, text) => sum + byteLength(text), 0);
}
