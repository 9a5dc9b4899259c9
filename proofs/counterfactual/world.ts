import type { JsonObject } from "../../src/ports.ts";
import type { ChatWorld, ScriptedReply, ScriptedRequest } from "../../src/testing/index.ts";
import { callOf } from "../support/real-talk.ts";
import { usualReply } from "../support/usual-replies.ts";
import { packageIn, rule } from "./talks.ts";

/** A miner whose checks can't be used, a target that obeys what it has read, and a judge that reads what the agent said. */
export const nightWorld: ChatWorld = {
  reply(request) {
    const usual = usualReply(request);
    if (usual !== undefined) return usual;
    const prompt = request.messages.map(({ content }) => content).join("\n\n");
    const contract = /^Contract: (\S+)$/m.exec(request.system)?.[1] ?? "";
    const answer = contracts[contract];
    return answer === undefined ? reply(request) : { text: JSON.stringify(answer(prompt)) };
  },
};

/** What the target looks at first: what it is answered shows the commit that it works at. */
export const look = "git log -1 --format=%H; cat src/app.js";

function reply({ protocol, system, messages, tools }: ScriptedRequest): ScriptedReply {
  const said = [system, ...messages.map(({ content }) => content)].join("\n");
  const name = packageIn(messages.findLast(({ content }) => packageIn(content) !== undefined)?.content ?? "");
  if (name === undefined || tools.length === 0) return { text: "ok" };
  if (messages.every(({ role }) => role !== "tool"))
    return callOf(protocol === "anthropic-messages" ? "claude-code" : "codex", look);
  return { text: `I installed ${name} with ${said.includes(rule) ? "pnpm" : "npm"}.` };
}

const contracts: Readonly<Record<string, (prompt: string) => JsonObject>> = {
  mine(prompt) {
    const turns = [...prompt.matchAll(/^\[turn \d+, the person\]\n(.+)$/gm)].map(([, text = ""]) => text);
    return {
      tasks: [
        {
          kind: "correction",
          intent: turns.at(-2) ?? "",
          context: "",
          checks: [],
          rubric: "",
          outcome: "solved",
          evidence: [turns.at(-1) ?? ""],
          scope: "project",
          stated: "",
          paraphrases: [],
        },
      ],
    };
  },
  group_wishes(prompt) {
    const sentences = [...prompt.matchAll(/^sentence (\d+):/gm)].map(([, number]) => Number(number));
    const wish = /^wish (\d+):/m.exec(prompt)?.[1];
    return { groups: [{ sentences, wish: wish === undefined ? null : Number(wish) }], same: [] };
  },
  word_wishes: (prompt) => ({
    wishes: [...prompt.matchAll(/^wish (\d+), for /gm)].map(([, wish]) => ({
      wish: Number(wish),
      rule,
      already: "",
    })),
  }),
  check_wordings: (prompt) => ({
    rules: [...prompt.matchAll(/^rule (\d+): /gm)].map(([, number]) => ({
      rule: Number(number),
      carries: "yes",
      own: "yes",
    })),
  }),
  analyst_error: () => ({ reasoning: "", failure_summary: [], edits: [] }),
  contrastive: () => ({ reasoning: "", failure_summary: [], edits: [] }),
  judge(prompt) {
    const answer = /^BEGIN answer ([0-9a-f]+)\n([\s\S]*?)\nEND answer \1$/m.exec(prompt)?.[2] ?? "";
    const isMet = /^I installed \w+ with pnpm/.test(answer);
    return {
      reason: isMet ? "They would not have had to." : "They would have had to.",
      score: isMet ? 1 : 0,
    };
  },
};
