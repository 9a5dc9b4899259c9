import type { Task } from "../../src/index.ts";
import type { ChatWorld } from "../../src/testing/index.ts";

/** Answers that no check can be derived into. */
const written: Readonly<Record<string, string>> = {
  "What do 10 pounds weigh in kilograms?": "4.5 kg",
  'Convert 100 °F to °C. Answer as JSON with "value" and "unit".': '{"value": 37.8, "unit": "°C"}',
  "How long is a marathon, in kilometres and in miles?": "42.2 km, 26.2 miles",
  "My suitcase weighs 50 lb. Is it above 23 kg? Answer yes or no, then the weight.": "no, 22.7 kg",
};

/** What a model that knows its business would say. */
export function goodAnswer({ input, answers, checks = [], reference }: Task): string {
  const [first] = answers ?? [];
  const said = written[input] ?? first ?? reference;
  if (said !== undefined) return said;
  const text = (kind: string) => checks.find((check) => check.kind === kind && check.negate !== true)?.value;
  const total = text("contains");
  const pattern = text("regex");
  const exact = text("exact");
  if (typeof exact === "string") return exact;
  // delivery notes: the amount with its currency, or a date that the pattern spells out
  if (typeof total === "string") return typeof pattern === "string" ? `EUR ${total}` : total;
  return (typeof pattern === "string" ? pattern : "").replace(/^\^/, "").replace(/\$$/, "");
}

/** Target and judge of the examples: one that answers well or badly, and a judge that knows which it was. */
export function exampleWorld(tasks: readonly Task[], isGood: boolean): ChatWorld {
  const asked = (text: string): Task | undefined => tasks.find(({ input }) => text.includes(input));
  return {
    reply({ system, messages }) {
      const text = messages.at(-1)?.content ?? "";
      const task = asked(text);
      const isJudge = system.includes("You grade what an AI agent did");
      // of the judge's trial: plainly good answers to tasks that no example has
      if (task === undefined)
        return { text: isJudge ? '{"reason":"plainly","score":1}' : "Which task is this?" };
      if (isJudge) {
        const answer = /BEGIN answer (\w+)\n([\s\S]*?)\nEND answer \1/.exec(text)?.[2];
        const score = answer === goodAnswer(task) ? 1 : 0;
        return {
          text: JSON.stringify({ reason: score === 1 ? "as it should be" : "something else", score }),
        };
      }
      const [check] = task.checks ?? [];
      if (check?.kind === "trigger") {
        const [, name = ""] = /^- ([\w-]+):/m.exec(system) ?? [];
        return { text: JSON.stringify({ skill: (check.value === true) === isGood ? name : null }) };
      }
      return { text: isGood ? goodAnswer(task) : "I think I would rather not say." };
    },
  };
}
