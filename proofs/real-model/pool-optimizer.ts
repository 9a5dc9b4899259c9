import type { JsonObject } from "../../src/ports.ts";
import { type ChatWorld, seededRandom } from "../../src/testing/index.ts";
import { merge, rank } from "../../src/testing/hidden-rule-optimizer.ts";
import { rulePool } from "./rule-pool.ts";

/** An optimizer that understands nothing: it draws rules from the pool, by its seed and the call. */
export function poolOptimizer(seed: number): ChatWorld {
  return {
    reply({ system, messages, key }) {
      const contract = /^Contract: *(\S+)/m.exec(system)?.[1] ?? "";
      const prompt = [system, ...messages.map(({ content }) => content)].join("\n\n");
      return { text: JSON.stringify(answer(contract, prompt, seededRandom(seed, key))) };
    },
  };
}

function answer(contract: string, prompt: string, random: () => number): JsonObject {
  if (contract.startsWith("merge_")) return { ...merge({ prompt }), ranked: true };
  if (contract === "ranking") return rank({ prompt });
  if (contract === "slow_update") return { reasoning: "", guidance: "" };
  if (contract === "meta_skill") return { reasoning: "", memory: "" };
  const skill = [...prompt.matchAll(/<skill>\n?([\s\S]*?)\n?<\/skill>/g)].at(-1)?.[1] ?? "";
  const rules = [...new Set([drawRule(skill, random), drawRule(skill, random)])].filter(
    (rule) => rule !== undefined,
  );
  if (contract === "one_shot") return { reasoning: "", new_skill: [skill, ...rules].join("\n\n") };
  if (contract !== "analyst_error" && contract !== "contrastive") return { reasoning: "", edits: [] };
  const asked = [...prompt.matchAll(/^Task id: *(.*)/gm)].map(([, id = ""]) => id.trim());
  const evidence = [...new Set(asked)];
  return {
    reasoning: "Drawn from the pool.",
    edits: rules.map((rule) => ({ op: "append", content: `- ${rule}`, evidence })),
  };
}

/** One that the skill does not have yet: good four times in ten, useless and harmful three times each. */
function drawRule(skill: string, random: () => number): string | undefined {
  const draw = random();
  const kind = draw < 0.4 ? "good" : draw < 0.7 ? "useless" : "harmful";
  const open = rulePool[kind].filter((rule) => !skill.includes(rule));
  return open[Math.floor(random() * open.length)];
}
