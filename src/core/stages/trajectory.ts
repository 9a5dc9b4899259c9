import type { Message } from "../ports/model.ts";
import { fairShare, trimMiddle } from "../trim.ts";
import { bytesPerToken } from "../work/estimate-tokens.ts";
import { type Attempted, partLines } from "./misses.ts";

/** How much of an attempt to show. */
export interface ShownAttempt {
  readonly reference?: string;
  /** @default 2,000 */
  readonly tokens?: number;
  /** Numbers of requested parts, shown before all others. */
  readonly parts?: readonly number[];
}

/** One attempt, in the format for an analyst. */
export const trajectoryText = (attempt: Attempted, shown: ShownAttempt = {}): string =>
  showAttempt(attempt, shown).text;

/** The same, and whether something was left out that can be requested. */
export function showAttempt(
  attempt: Attempted,
  { reference, tokens = 2_000, parts = [] }: ShownAttempt,
): { readonly text: string; readonly leavesOut: boolean } {
  const { task, outcome } = attempt;
  const { text, leavesOut } = conversationText(attempt, tokens * bytesPerToken, parts);
  const lines = [
    `Task id: ${task.id}`,
    `Score: ${outcome.hard.toFixed(2)} (partial credit ${outcome.soft.toFixed(2)})`,
    `Judgement: ${outcome.feedback}`,
    ...partLines(attempt),
    ...(reference === undefined ? [] : [`Reference: ${reference}`]),
    text,
  ];
  return { text: lines.join("\n"), leavesOut };
}

/** The least part of a message worth showing, in characters. */
const leastShown = 600;

/**
 * Shows the task and the end first; then requested parts, failed calls and everything that names something a failed
 * check expects; then the rest, from the end. Each group leaves at least a third of the room to the next.
 */
function conversationText(attempt: Attempted, room: number, asked: readonly number[]) {
  const { conversation } = attempt.outcome;
  const parts = conversation.map((message, at) => ({ ...message, at, group: groupOf(attempt, at, asked) }));
  const shown = new Map<number, string>();
  let left = room;
  for (const group of [0, 1, 2]) {
    const own = parts.filter((part) => part.group === group).toReversed();
    const isLast = parts.every((part) => part.group <= group);
    const most = isLast ? left : Math.floor((left * 2) / 3);
    const chosen = own.slice(0, Math.max(group === 0 ? 2 : 0, Math.floor(most / leastShown)));
    const length = fairShare(
      chosen.map(({ content }) => content.length),
      most,
    );
    for (const { at, content } of chosen) {
      const text = trimMiddle(content, length);
      shown.set(at, text);
      left -= text.length;
    }
  }
  const leavesOut = parts.some(({ at, content }) => shown.get(at) !== content);
  // a question and its answer need no numbers if they're complete
  const numbered = parts.length > 2 || leavesOut;
  const text = parts
    .flatMap(({ at, role }) => {
      const part = shown.get(at);
      if (part !== undefined) {
        const who = role === "assistant" ? "agent" : at === 0 ? "task" : "input";
        return [`[${numbered ? `${at + 1} ` : ""}${who}]\n${part}`];
      }
      return shown.has(at - 1) ? [gapText(conversation, at, shown)] : [];
    })
    .join("\n\n");
  return { text, leavesOut };
}

function groupOf({ task, outcome }: Attempted, at: number, asked: readonly number[]): 0 | 1 | 2 {
  const { conversation } = outcome;
  if (at === 0 || at === conversation.length - 1) return 0;
  const wanted = (outcome.checks ?? []).flatMap(({ pass, expected }, index) => {
    const on = task.checks?.[index]?.on;
    return pass ? [] : [...namesIn(expected), ...(typeof on === "object" ? [on.file] : [])];
  });
  const names = [...wanted, ...namesIn(outcome.feedback)];
  const isAbout = ({ content }: Message) => names.some((name) => content.includes(name));
  const [own, next] = [conversation[at], conversation[at + 1]];
  const isChosen =
    asked.includes(at + 1) || (own !== undefined && (isAbout(own) || hasFailed(own))) || hasFailed(next);
  return isChosen ? 1 : 2;
}

/** Quoted words and paths. */
const namesIn = (text: string): readonly string[] =>
  (text.match(/(?<=")[^"\n]{4,80}(?=")|[\w.-]+\/[\w./-]+|\b[\w-]{2,}\.[a-z]{1,5}\b/g) ?? []).filter(
    (name) => name.trim().length > 3,
  );

const toolName = /^\[([\w.:-]+)( failed)?\] /;
const hasFailed = (message?: Message): boolean =>
  message?.role === "user" && toolName.exec(message.content)?.[2] !== undefined;

/** Names a gap in the parts shown: `[parts 4–9 left out: Bash × 3, Read, 12400 characters]`. */
function gapText(conversation: readonly Message[], from: number, shown: ReadonlyMap<number, string>): string {
  const end = conversation.findIndex((_, at) => at > from && shown.has(at));
  const gap = conversation.slice(from, end);
  const calls = gap.flatMap(({ role, content }) =>
    role === "assistant" ? (toolName.exec(content)?.[1] ?? []) : [],
  );
  const tools = [...Map.groupBy(calls, (name) => name)].map(([name, { length }]) =>
    length === 1 ? name : `${name} × ${length}`,
  );
  const size = gap.reduce((sum, { content }) => sum + content.length, 0);
  const which = gap.length === 1 ? `part ${end}` : `parts ${from + 1}–${end}`;
  return `[${which} left out: ${[...tools, `${size} characters`].join(", ")}]`;
}
