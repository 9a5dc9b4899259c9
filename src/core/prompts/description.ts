import { analystError } from "./analyst-error.ts";
import { analystSuccess } from "./analyst-success.ts";
import { anchorRepair } from "./anchor-repair.ts";
import { contrastive } from "./contrastive.ts";
import { mergeFailure, mergeFinal, mergeSuccess } from "./merge.ts";
import { metaSkillPrompt } from "./meta-skill.ts";
import type { Prompt } from "./prompt.ts";
import { ranking } from "./ranking.ts";

export interface TrainedDescription {
  readonly name: string;
  /** What the skill says once it is loaded. */
  readonly body: string;
  readonly neighbours: readonly { readonly name: string; readonly description: string }[];
}

/**
 * The optimizer's instructions where a description is trained, by contract: those that a person replaced, else our own,
 * each followed by what is trained here.
 */
export function descriptionPrompts(
  trained: TrainedDescription,
  replaced: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const about = aboutDescription(trained);
  const text = ({ name, instructions }: Prompt<unknown>) => replaced[name] ?? own[name] ?? instructions;
  return Object.fromEntries(
    contracts.map((prompt) => [prompt.name, `${text(prompt).trim()}\n\n${about}`] as const),
  );
}

const contracts: readonly Prompt<unknown>[] = [
  analystError,
  analystSuccess,
  contrastive,
  mergeFailure,
  mergeSuccess,
  mergeFinal,
  ranking,
  anchorRepair,
  metaSkillPrompt,
];

const rules = `- Say what the skill does and when it is needed, in words that such requests use. Name kinds of requests; never copy one of these requests.
- Draw a border to another skill only where requests cross it, and no wider than they do.
- A wider description also loads the skill where it is not needed, a narrower one leaves it out where it is. Mind both sides.
- Promise nothing that the skill does not do.
- There is little room: change words rather than add sentences, and say nothing twice.`;

const own: Readonly<Record<string, string>> = {
  [analystError.name]: `You improve the description of a skill that an AI agent can load. You are shown the description and several requests for which the agent decided wrongly: it left the skill alone although it was needed, or loaded it although it was not.

Find what the wrong decisions have in common: a kind of request that the description does not name, a word that is too wide, a missing border to a neighbouring skill. Then propose few, small edits that would set such decisions right for other requests too.

${rules}
- Propose nothing that these requests do not support. Fewer edits than the budget are welcome.`,

  [analystSuccess.name]: `You improve the description of a skill that an AI agent can load. You are shown the description and several requests for which the agent decided rightly whether to load it.

Find what made these decisions right that the description does not say yet, and would make them right every time. Propose few, small edits.

${rules}
- What the description already says needs no edit; an empty list of edits is a good answer.`,

  [contrastive.name]: `You improve the description of a skill that an AI agent can load. Each request below was shown to the agent several times under the same description. You see one decision that was right and one that was wrong.

Find what in the description leaves room for both, and propose few, short edits that would make the right decision happen every time.

${rules}
- Luck needs no edit: propose nothing where the decisions differ by chance only.`,
};

function aboutDescription({ name, body, neighbours }: TrainedDescription): string {
  const others = neighbours.map((one) => `- ${one.name}: ${one.description}`);
  return [
    `# What is trained

The text between <skill> and </skill> is the description of the skill ${name}, and nothing else of it can change. The agent sees the name and the description of every skill that it has, and loads one when its description fits the request. A task is such a request; it is solved when ${name} is loaded exactly if it should be. A description is one paragraph of at most 1024 characters and holds neither < nor >.`,
    `What ${name} says once it is loaded:\n\n${shorten(body.trim())}`,
    others.length === 0
      ? "The agent has no other skill."
      : `The agent's other skills, which stay as they are:\n\n${others.join("\n")}`,
  ].join("\n\n");
}

const mostBody = 6000;

const shorten = (text: string): string => (text.length > mostBody ? `${text.slice(0, mostBody)}…` : text);
