import type { z } from "zod";
import type { ProposedEdit } from "./edit-schema.ts";

/** One optimizer contract: instructions that a user may replace, and a reply format that they may not. */
export interface Prompt<Parsed> {
  /** The name for overrides, and the `Contract:` line of the system prompt. */
  readonly name: string;
  readonly instructions: string;
  readonly replyFormat: string;
  readonly schema: z.ZodType<Parsed>;
  /** What a reply's text says, for the schema. @default its JSON object */
  readonly read?: (text: string) => object | null;
  /** A reply as it could come, for rehearsals. */
  readonly sample: (asked: Sampling) => unknown;
}

/** A contract whose replies have the type of its schema. */
export const definePrompt = <Parsed>(prompt: Prompt<Parsed>): Prompt<Parsed> => prompt;

/** The system text: instructions (ours or the user's), then the reply format, then the contract's name. */
export function systemText(prompt: Prompt<unknown>, overrides: Readonly<Record<string, string>>): string {
  const instructions = overrides[prompt.name] ?? prompt.instructions;
  return `${instructions.trim()}\n\n${prompt.replyFormat.trim()}\n\nContract: ${prompt.name}`;
}

/** What a drawn reply may depend on: chance, and the question. */
export interface Sampling {
  readonly random: () => number;
  /** The last message to the model. */
  readonly user: string;
  readonly finds: UsualFinds;
  /** Answers that are known to be good. */
  readonly good: readonly string[];
  /** The skill says already what there is to say. @default false */
  readonly isSaid?: boolean;
}

/** Finds of a miner in this person's conversations. */
export interface UsualFinds {
  readonly tasksPerConversation: number;
  /** The share of tasks in which nobody was corrected. */
  readonly plain: number;
  /** Those of known tasks, each as often as it came up: one that came up once may be new every time. */
  readonly rubrics: readonly string[];
}

export const guessedFinds: UsualFinds = { tasksPerConversation: 0.8, plain: 0.15, rubrics: [] };

/** How answers begin that a rehearsal drew. */
export const [drawnRight, drawnWrong] = ["✔", "✘"] as const;

/** Whether the answer between fences is right, as far as that was drawn or is known. */
export const isShownRight = ({ user, good }: Sampling): boolean =>
  user.includes(`\n${drawnRight}`) || good.some((answer) => user.includes(`\n${answer}\nEND `));

/** A whole number from 0 to `most`. */
export const drawCount = (random: () => number, most: number): number => Math.floor(random() * (most + 1));

export const pickOne = <T>(items: readonly T[], random: () => number): T | undefined =>
  items[Math.floor(random() * items.length)];

/** Rules in drawn texts carry a name, so that a rehearsal can tell which of them a skill holds. */
export const ruleNames = (text: string): readonly string[] => text.match(/\bRule k[0-9a-z]{6}\b/g) ?? [];

export const sampleRule = (random: () => number): string =>
  `Rule k${(36 ** 5 + Math.floor(random() * 35 * 36 ** 5)).toString(36)}: look at every part with care, note what belongs together, and go over the whole once more.`;

/** Some words for a field that nobody reads. */
export const sampleWords = (random: () => number, words: number): string =>
  Array.from({ length: words }, () => pickOne(vocabulary, random)).join(" ");

const vocabulary =
  "the of it some part was left out and others came first or late with less care than usual".split(" ");

/** Edits within the budget that the question names, `least` to `most` of them; some change a rule that is there. */
export function sampleEdits(
  { user, random, isSaid = false }: Sampling,
  least: number,
  most = Number.POSITIVE_INFINITY,
): readonly ProposedEdit[] {
  if (isSaid) return [];
  const budget = Math.min(Number(/Edit budget: (\d+)/.exec(user)?.[1] ?? 3), most);
  const ids = [...user.matchAll(/^Task id: (.+)$/gm)].map(([, id]) => id ?? "");
  const items = shownSkill(user).match(/^- .{20,}$/gm) ?? [];
  return Array.from({ length: Math.max(drawCount(random, budget), Math.min(least, budget)) }, () => {
    const evidence = ids.filter(() => random() < 0.8);
    const target = random() < 0.15 ? pickOne(items, random) : undefined;
    const content = `- ${sampleRule(random)}`;
    return target === undefined
      ? { op: "append", content, evidence }
      : { op: "replace", target, content, evidence };
  });
}

/** The main file of the skill, as optimizer prompts show it. */
export function shownSkill(user: string): string {
  const shown = /<skill>\n([\s\S]*?)\n<\/skill>/.exec(user)?.[1] ?? "";
  return /^<file name="[^"]*">\n([\s\S]*?)\n<\/file>/.exec(shown)?.[1] ?? shown;
}

/** The rules of a list that a question shows. */
export function shownRules(user: string): readonly { readonly id: string; readonly text: string }[] {
  const shown = /^# Rules to write in\n\n```json\n([\s\S]*?)\n```/m.exec(user)?.[1] ?? "{}";
  return (JSON.parse(shown) as { readonly rules?: ReturnType<typeof shownRules> }).rules ?? [];
}

/** The edits of the pool that a question shows. */
export function shownEdits(user: string): readonly ProposedEdit[] {
  const pool = /^# (?:Patches to merge|Pool.*|Changes to make|Edits whose.*)\n\n```json\n([\s\S]*?)\n```/m;
  const shown = JSON.parse(pool.exec(user)?.[1] ?? "{}") as {
    readonly patches?: readonly { readonly edits: readonly ProposedEdit[] }[];
    readonly edits?: readonly ProposedEdit[];
  };
  return [...(shown.edits ?? []), ...(shown.patches ?? []).flatMap(({ edits }) => edits)];
}
