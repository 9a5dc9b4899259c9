import { type ChatWorld, seededRandom } from "../../src/testing/index.ts";
import type { Task } from "../../src/index.ts";

const tickets = {
  MONEY: ["payment failed", "refund please", "charged twice", "invoice is wrong"],
  ACCESS: ["forgot my password", "cannot log in", "locked out"],
  PARCEL: ["parcel is late", "package lost", "delivery to a neighbour", "shipping cost"],
  DEFECT: ["app crashes", "error 500", "screen is blank"],
} as const;

type Tag = keyof typeof tickets;
const tags = Object.keys(tickets) as readonly Tag[];

const ruleOf = (tag: Tag): string => `Tickets of the kind ${tag.toLowerCase()} get the tag ${tag}.`;
const format = "Answer with only the tag, in capitals, and nothing else.";
const idle = ["Be polite and careful with every ticket.", "Read the ticket twice.", "Prefer short words."];

export interface TicketsWorld extends ChatWorld {
  readonly tasks: readonly Task[];
  helps(rule: string): boolean;
  /** How many of the five rules a text lacks that some ticket needs. */
  lackingIn(text: string): number;
}

/**
 * Fourteen tickets with one check each. An answer passes with the rule about its form and the rule about its tag, so every rule is
 * needed, and a tag's concerns three or four tasks. A steady target: the same text gets the same answer.
 */
export function ticketsWorld(seed: number): TicketsWorld {
  const rules = [format, ...tags.map(ruleOf)];
  const tasks = tags.flatMap((tag) =>
    tickets[tag].map((text, at) => ({ id: `${tag}-${at}`, input: `Ticket: ${text}`, answers: [tag] })),
  );
  const tagOf = (text: string) => tags.find((tag) => tickets[tag].some((ticket) => text.includes(ticket)));
  return {
    tasks,
    helps: (rule) => rules.some((one) => rule.includes(one)),
    lackingIn: (text) => rules.filter((rule) => !text.includes(rule)).length,
    reply({ model, system, messages, key }) {
      const prompt = messages.map(({ content }) => content).join("\n");
      const random = seededRandom("tickets", seed, key);
      if (model.includes("target")) {
        const tag = tagOf(prompt) ?? "MONEY";
        const named = system.includes(ruleOf(tag)) ? tag : "HELP";
        return { text: system.includes(format) ? named : `I'd say that ${named.toLowerCase()} fits.` };
      }
      const ids = [...prompt.matchAll(/^Task id: (\S+)/gm)].map(([, id = ""]) => id);
      const text = /<skill>([^]*?)<\/skill>/.exec(prompt)?.[1] ?? prompt;
      const failed = tags.filter((tag) => ids.some((id) => id.startsWith(tag)));
      const missing = [format, ...failed.map(ruleOf)].filter((rule) => !text.includes(rule));
      const said = random() < 0.5 ? [idle[Math.floor(random() * idle.length)] ?? ""] : [];
      const edits = [...missing, ...said].map((rule) => ({
        op: "append",
        content: `- ${rule}`,
        evidence: ids.slice(0, 3),
      }));
      return { text: JSON.stringify({ reasoning: "", failure_summary: [], edits }) };
    },
  };
}
