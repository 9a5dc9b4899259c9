import type { ChatWorld, ScriptedReply, ScriptedRequest, ScriptedToolCall } from "../../src/testing/index.ts";

/** Stands in the skill alone. */
const rule = "with a hyphen between them";

/** A model that writes berths as the skill says once it has read it, and as "berth 7" without. Also the judge of either side. */
export const harbourWorld: ChatWorld = {
  reply(request) {
    if (isJudge(request)) return judgement(request);
    const said = [request.system, ...request.messages.map(({ content }) => content)].join("\n");
    const asked = questions.find(({ words }) => said.includes(words));
    if (asked === undefined) return { text: "Which ship?" };
    const name = /harbour-log:harbour-log/.exec(said)?.[0] ?? "harbour-log";
    const load = said.includes("harbour-log") ? [{ name: "Skill", arguments: { skill: name } }] : [];
    const isTold = said.includes(rule);
    const [, folder = "/home/dev/project"] = /[Ww]orking directory: (\S+)/.exec(said) ?? [];
    const steps = [...load, ...asked.steps(folder, isTold)];
    const step = steps[request.messages.filter(({ role }) => role === "tool").length];
    if (step !== undefined) return { text: "", toolCalls: [step] };
    return { text: asked.answer(isTold ? (berth) => `HB-${berth}` : (berth) => `berth ${berth}`) };
  },
};

interface Question {
  readonly words: string;
  readonly answer: (berth: (number: number) => string) => string;
  readonly steps: (folder: string, isTold: boolean) => readonly ScriptedToolCall[];
}

const says = (words: string, answer: Question["answer"]): Question => ({ words, answer, steps: () => [] });

const questions: readonly Question[] = [
  {
    words: "The Albatros has arrived at berth 7",
    answer: (berth) => `The Albatros is in the log, at ${berth(7)}.`,
    steps: (folder, isTold) => {
      const read = { name: "Read", arguments: { file_path: `${folder}/plan.md` } };
      const content = isTold ? "Albatros HB-7 in\n" : "The Albatros came to berth 7.\n";
      const write = { name: "Write", arguments: { file_path: `${folder}/log.md`, content } };
      return isTold ? [read, write] : [write];
    },
  },
  says("Where does the Bussard lie", (berth) => `The Bussard lies at ${berth(3)}.`),
  says("The Condor leaves berth 12", (berth) => `Condor ${berth(12)} out`),
  says("The Dohle moves from berth 2", (berth) => `Dohle ${berth(2)} out, Dohle ${berth(5)} in`),
  says("Is berth 9 free", (berth) => `Yes, ${berth(9)} is free.`),
  says("The Elster lies at berth 4", (berth) => `The Elster lies at ${berth(4)}.`),
  says("The Falke lies at berth 8", (berth) => `The Falke lies at ${berth(8)}.`),
  says("The Greif lies at berth 11", (berth) => `The Greif lies at ${berth(11)}.`),
];

const isJudge = ({ system }: ScriptedRequest): boolean =>
  /evaluation judge|You grade what an AI agent did|Two AI agents did the same task/.test(system);

/** Whether a berth is named by its code, in the words of whoever asks. */
export function judgement({ system, messages }: Pick<ScriptedRequest, "system" | "messages">): ScriptedReply {
  const text = messages.at(-1)?.content ?? "";
  const isCoded = (part: string): boolean => /HB-\d/.test(part);
  if (system.includes("evaluation judge")) {
    const [, shown = ""] = /(?:Agent output \([\w ]+\):|NEW trajectory:)([\s\S]*)/.exec(text) ?? [];
    return { text: isCoded(shown) ? "PASS" : "FAIL" };
  }
  const part = (word: string): string =>
    new RegExp(`BEGIN ${word} (\\w+)\\n([\\s\\S]*?)\\nEND ${word} \\1`).exec(text)?.[2] ?? "";
  if (system.includes("You grade")) {
    // an answer to another question names other berths
    const berths = Array.from(part("task").matchAll(/berth (\d+)/g), ([, number]) => `HB-${number}`);
    const score = berths.every((code) => part("answer").includes(code)) ? 1 : 0;
    return { text: JSON.stringify({ reason: "by the code", score }) };
  }
  const [first, second] = [isCoded(part("first answer")), isCoded(part("second answer"))];
  return {
    text: JSON.stringify({
      reason: "by the code",
      better: first === second ? "tie" : first ? "first" : "second",
    }),
  };
}
