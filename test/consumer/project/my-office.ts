import {
  type CustomScorer,
  type Environment,
  InfraError,
  type Model,
  type Task,
  said,
} from "whetstone/ports";
import { hiddenRuleWorld, startScriptedServer } from "whetstone/testing";

export const world = hiddenRuleWorld({ seed: 1, rules: 6 });

/** Any server that speaks; here one with scripted replies. */
export const startOffice = () => startScriptedServer({ seed: 1, world });

interface Completion {
  readonly choices: readonly [{ readonly message: { readonly content: string } }];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

/** A model of our own: a chat call in our own words. */
export const myModel = (url: string, name: string): Model => ({
  id: `mine/${name}`,
  async generate({ system, messages, maxTokens }, { key, signal }) {
    const body = {
      model: name,
      max_tokens: maxTokens,
      messages: [...(system === undefined ? [] : [{ role: "system", content: system }]), ...messages],
    };
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(body),
      signal,
    });
    if (!response.ok) throw new InfraError("transport", `The office said ${response.status}.`);
    const { choices, usage } = (await response.json()) as Completion;
    return {
      text: choices[0].message.content,
      finish: "stop",
      usage: { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens },
    };
  },
});

/** An environment of our own: the skill first, then the task, and the task's checks decide. */
export const myEnvironment: Environment = {
  name: "parcel-desk",
  version: "1",
  throughContext: true,
  async run(task, skill, { model, score }) {
    const system = `${skill.files[skill.main] ?? ""}\n${task.system ?? ""}`;
    const question = { role: "user", content: task.input } as const;
    const { text } = await model.generate({ system, messages: [question] });
    const scored = await score(task, said(text));
    if ("kind" in scored) return scored;
    return { kind: "scored", ...scored, conversation: [question, { role: "assistant", content: text }] };
  },
};

/** A scorer of our own. */
export const shelf: CustomScorer = (task, { text }) => {
  const isRight = text.trim() === task.metadata?.["shelf"];
  return { score: isRight ? 1 : 0, reason: isRight ? "right shelf" : "wrong shelf" };
};

/** Tasks whose check names it. */
export const withShelf = (tasks: readonly Task[]): readonly Task[] =>
  tasks.map(({ answers, ...task }) => ({
    ...task,
    checks: [{ kind: "custom", value: "shelf" }],
    metadata: { shelf: answers?.[0] ?? "" },
  }));
