import { helpedBy } from "../wishes/helped.ts";
import { memoryText } from "../wishes/compare-memory.ts";
import { type Wish, isClosed, isStanding } from "../wishes/wish.ts";
import { helpedText, wishText } from "../wishes/wish-words.ts";
import type { SleepState } from "../state.ts";

/** Whether the person has to say each adopted wish less often now, one sentence each. */
export const helpedNotes = ({
  wishes,
  conversations,
}: Pick<SleepState, "wishes" | "conversations">): readonly string[] =>
  wishes.flatMap((wish) => {
    const helped = helpedBy(wish, conversations);
    return helped === undefined ? [] : [helpedText(wish, helped)];
  });

/** Why some of tonight's wishes aren't proposed, and what memory says about the others. */
export const knownNotes = (
  { wishes }: Pick<SleepState, "wishes">,
  before: Pick<SleepState, "wishes">,
): readonly string[] =>
  wishes.flatMap((wish) => {
    const said = before.wishes.find(({ id }) => id === wish.id)?.said.length ?? 0;
    const why = knownOf(wish);
    return wish.said.length === said || why === undefined
      ? []
      : [`You said "${wishText(wish)}" again. ${why}`];
  });

/** Tonight's wishes that wait until they are said again, and wishes that the person changed or took back. */
export function waitingNotes(
  { wishes }: Pick<SleepState, "wishes">,
  before: Pick<SleepState, "wishes">,
): readonly string[] {
  const old = new Map(before.wishes.map((wish) => [wish.id, wish]));
  const waiting = wishes.filter(
    (wish) =>
      wish.state.kind === "open" && !isStanding(wish) && old.get(wish.id)?.said.length !== wish.said.length,
  );
  const gone = wishes.filter((wish) => isClosed(wish) && old.get(wish.id)?.state.at !== wish.state.at);
  return [
    ...waiting.map((wish) => `Said once; it will be proposed if you say it again: "${wishText(wish)}".`),
    ...gone.map((wish) => `"${wishText(wish)}" is no longer proposed. ${wish.state.reason}`),
  ];
}

/** The note for an adopted wish that is open again. */
export const reopenedNote = (wish: Wish): string =>
  `"${wishText(wish)}": ${wish.state.reason} The next night will propose another wording.`;

function knownOf({ state: { kind, reason, quote }, memory, waitsIn }: Wish): string | undefined {
  if (waitsIn !== undefined) return `It waits for you in ${waitsIn}: run \`whetstone review\` there.`;
  if (quote !== undefined) return `${reason.replace(/\.$/, "")}: "${quote}".`;
  if (kind === "open") return memory?.map(memoryText).join(" ");
  return kind === "rejected" ? `It isn't proposed, because you rejected it: ${reason}` : undefined;
}
