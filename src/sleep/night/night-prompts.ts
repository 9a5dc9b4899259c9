import { analystError } from "../../core/prompts/analyst-error.ts";
import { contrastive } from "../../core/prompts/contrastive.ts";
import type { Prompt } from "../../core/prompts/prompt.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import { oneLine } from "../../core/one-line.ts";
import type { LearnedRule, LearnedEdit } from "../../core/rules/learned/learned-rule.ts";
import { type Wish, firstWording } from "../wishes/wish.ts";

export interface NightBriefing {
  readonly document: Document;
  readonly preferences: string;
  /** Rules of this document that the gate or the person rejected, oldest first. */
  readonly rejected: readonly LearnedRule[];
  /** The person's wishes, of any state. */
  readonly wishes: readonly Wish[];
}

/** The optimizer's instructions on a night, by contract: the person's own or ours, then those for this document. */
export function nightPrompts(
  briefing: NightBriefing,
  replaced: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const about = [
    aboutDocument(briefing.document),
    aboutPreferences(briefing.preferences),
    aboutWishes(briefing.wishes),
    aboutRejected(briefing),
  ];
  const added = about.filter((part) => part !== "").join("\n\n");
  const contracts: readonly Prompt<unknown>[] = [analystError, contrastive];
  return {
    ...replaced,
    ...Object.fromEntries(
      contracts.map(({ name, instructions }) => [
        name,
        `${(replaced[name] ?? instructions).trim()}\n\n${added}`,
      ]),
    ),
  };
}

function aboutDocument({ kind, name }: Document): string {
  const what =
    kind === "skill"
      ? `The skill is ${name}, which a person uses in daily work; the tasks come from that person's own conversations.`
      : `The text between <skill> and </skill> is ${name}, the notes that the agent reads before every conversation with one person; the tasks come from that person's own conversations.`;
  return `# What may change

${what} It belongs to that person. Only the learned rules may change: the list items between <!-- whetstone:learned:start --> and <!-- whetstone:learned:end -->. Where there is no such block yet, append makes one.

- append adds rules. Write each as one list item that can be understood without the others.
- replace and delete take one whole learned rule as their target. An edit of any other text is refused.
- Each rule is tried by itself on tasks from other conversations, and only one that helps there is kept. Write what that person will want again, not what one conversation needed.
- Under evidence, list every task that calls for the rule: one that rests on a single conversation is refused.`;
}

const aboutPreferences = (preferences: string): string =>
  preferences.trim() === ""
    ? ""
    : `# House preferences

The person wants rules to agree with this:

${preferences.trim()}`;

const mostWishes = 40;

/** Wishes are grouped and worded elsewhere. Proposing one in other words would only split its evidence. */
function aboutWishes(wishes: readonly Wish[]): string {
  const known = wishes.flatMap((wish) => firstWording(wish)?.text ?? wish.state.quote ?? []);
  if (known.length === 0) return "";
  const lines = known.slice(-mostWishes).map((text) => `- ${JSON.stringify(oneLine(text, 200))}`);
  return `# Asked for already

The person has asked for these, and each is decided on by itself. Propose none of them, and nothing that says the same in other words.

${lines.join("\n")}`;
}

const mostRejected = 20;

function aboutRejected({ rejected }: NightBriefing): string {
  if (rejected.length === 0) return "";
  const lines = rejected.slice(-mostRejected).map(({ edit, reason }) => `- ${editLine(edit)}: ${reason}`);
  return `# Turned down before

These were proposed on earlier nights and turned down. Propose none of them again, and nothing that says the same in other words.

${lines.join("\n")}`;
}

/** An edit in one line, for a prompt or a person. */
export function editLine(edit: LearnedEdit): string {
  if (edit.op === "add") return `add ${JSON.stringify(edit.text)}`;
  if (edit.op === "delete") return `delete ${JSON.stringify(edit.target)}`;
  return `replace ${JSON.stringify(edit.target)} by ${JSON.stringify(edit.text)}`;
}
