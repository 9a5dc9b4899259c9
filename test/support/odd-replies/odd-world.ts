import { controlAnswers } from "../../../src/core/judge/controls.ts";
import type { ModelRequest, Reply } from "../../../src/core/ports/model.ts";
import { seededRandom } from "../../../src/core/random.ts";
import type { Task } from "../../../src/core/tasks/task.ts";
import { hiddenRuleWorld } from "../../../src/testing/index.ts";
import { simulatedReply } from "../simulation/simulated-network.ts";

/** The ways in which a reply can be odd; each was paid for. */
export const oddKinds = ["empty", "uncounted", "cut", "refused", "prose", "no-reason"] as const;
export type OddKind = (typeof oddKinds)[number];

export const oddRoles = ["target", "optimizer", "judge"] as const;
export type OddRole = (typeof oddRoles)[number];

export interface OddAnswer {
  readonly reply: Reply;
  readonly odd: OddKind | undefined;
}

/**
 * Fourteen evals, a skill, and what each role says to a question: the same for the same key. With an even seed an eval has
 * two rubrics, so that the gate is `rules`, otherwise one and `strict`.
 */
export function oddWorld(seed: number, rate: number) {
  const office = hiddenRuleWorld({ seed, rules: 6, useful: 0.6, useless: 0.25, harmful: 0.15 });
  const tasks = office.tasks(14).map(({ answers, ...task }): Task => {
    const [answer = ""] = answers ?? [];
    const rubrics = [
      `Gives the code ${answer}.`,
      ...(seed % 2 === 0 ? [`${formRubric} for ${task.id}.`] : []),
    ];
    return { ...task, reference: answer, checks: rubrics.map((value) => ({ kind: "rubric", value })) };
  });
  const playOffice = simulatedReply(office);

  function answer(role: OddRole, request: ModelRequest, key: string): OddAnswer {
    const usual = role === "judge" ? judge(request) : playOffice({ ...request, model: `odd/${role}` }, key);
    const random = seededRandom("odd", seed, role, key);
    if (random() >= rate) return { reply: usual, odd: undefined };
    const odd = oddKinds[Math.floor(random() * oddKinds.length)] as OddKind;
    return { reply: { ...usual, ...spoil(odd, usual) }, odd };
  }

  return { tasks, skill: office.seedSkill(2), answer };
}

const formRubric = "Is one code and nothing else";

function spoil(kind: OddKind, { text, usage }: Reply): Partial<Reply> {
  const part = text.slice(0, Math.floor(text.length / 2));
  switch (kind) {
    case "empty":
      return { text: "" };
    case "uncounted":
      return { text: "", usage: { ...usage, outputTokens: 0 } };
    case "cut":
      return { text: part, finish: "length" };
    case "refused":
      return { text: "", finish: "content-filter" };
    case "prose":
      return { text: "I would need to know more before I can say anything about this." };
    case "no-reason":
      return { text: part, finish: "none" };
  }
}

/** A judge that is right whenever it can be understood. */
function judge({ system = "", messages }: ModelRequest): Reply {
  const prompt = messages[0]?.content ?? "";
  const part = (word: string) =>
    new RegExp(`^BEGIN ${word} ([0-9a-f]{16})\n([^]*?)\nEND ${word} \\1$`, "m").exec(prompt)?.[2] ?? "";
  const code = /the code (\S+)\.$/.exec(part("rubric"))?.[1];
  const isForm = (word: string) => part("rubric").startsWith(formRubric) && /^[A-Z]-\d+$/.test(part(word));
  const isRight = (word: string) =>
    part(word) === code || isForm(word) || controlAnswers.includes(part(word));
  const verdict = system.includes("Contract: judge_pair")
    ? { better: isRight("first answer") ? "first" : isRight("second answer") ? "second" : "tie" }
    : { score: isRight("answer") ? 1 : 0 };
  const text = system.includes("Contract: judge") ? JSON.stringify({ reason: "compared", ...verdict }) : "ok";
  const usage = { inputTokens: Math.ceil(prompt.length / 4), outputTokens: Math.ceil(text.length / 4) };
  return { text, finish: "stop", usage };
}
