import { type ChatWorld, seededRandom } from "../../src/testing/index.ts";
import type { Task } from "../../src/index.ts";

/** What the house wants of every answer, and the mark by which a check sees it. */
const habits = [
  { rule: "Begin with a label in square brackets.", mark: "[label]" },
  { rule: "Say when the next update comes.", mark: "next update" },
  { rule: "Name the region that is hit.", mark: "region" },
  { rule: "End with the number to call.", mark: "call us" },
] as const;

const idle = [
  "Be friendly.",
  "Think before you write.",
  "Prefer short words.",
  "Read the request twice.",
  "Stay calm.",
];

export interface HabitsWorld extends ChatWorld {
  tasks(count: number): readonly Task[];
  /** How many habits a text has, and the chance that it answers a task in which three of the four are checked. */
  habitsIn(text: string): number;
  isHabit(rule: string): boolean;
}

/**
 * A status page in which an answer passes only if three habits hold at once. A rule makes its habit hold in 93 of 100 answers;
 * without it, it holds in 15. The optimizer proposes missing habits of failed tasks, and sentences that do nothing.
 */
export function habitsWorld(seed: number): HabitsWorld {
  const isHabit = (rule: string) => habits.some((habit) => rule.includes(habit.rule));
  return {
    isHabit,
    habitsIn: (text) => habits.filter(({ rule }) => text.includes(rule)).length,
    tasks: (count) =>
      Array.from({ length: count }, (_, at) => {
        const random = seededRandom("habits", seed, at);
        const left = Math.floor(random() * habits.length);
        return {
          id: `h${at}`,
          input: `Incident ${at}: write the update for service-${seed}-${at}.`,
          // no answer passes everywhere
          checks: [
            ...habits.filter((_, habit) => habit !== left).map(({ mark }) => mark),
            `service-${seed}-${at}`,
          ].map((value) => ({ kind: "contains", value })),
        };
      }),
    reply({ model, system, messages, key }) {
      const user = messages.at(-1)?.content ?? "";
      const random = seededRandom("habits", seed, key);
      if (model.includes("target")) {
        const held = habits.filter(({ rule }) => random() < (system.includes(rule) ? 0.93 : 0.15));
        return {
          text: [`Update on ${/service-[\d-]+/.exec(user)?.[0]}:`, ...held.map(({ mark }) => mark)].join(" "),
        };
      }
      const budget = Number(/Edit budget: (\d+)/.exec(user)?.[1] ?? 0);
      const text = /<skill>([^]*?)<\/skill>/.exec(user)?.[1] ?? "";
      const [failed = "h0"] = /(?<=Task id: )\S+/.exec(user) ?? [];
      const missing = habits.map(({ rule }) => rule).filter((rule) => !text.includes(rule));
      const edits = Array.from({ length: budget }, () => {
        const from = random() < 0.5 && missing.length > 0 ? missing : idle;
        const content = from[Math.floor(random() * from.length)] ?? "";
        return { op: "append", content: `- ${content}`, evidence: [failed] };
      });
      const distinct = edits.filter(
        ({ content }, at) => edits.findIndex((one) => one.content === content) === at,
      );
      return { text: JSON.stringify({ reasoning: "", failure_summary: [], edits: distinct }) };
    },
  };
}
