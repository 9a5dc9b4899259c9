import { oneLine } from "../../core/one-line.ts";
import { plural } from "../../core/plural.ts";
import type { Helped, SaidRate } from "./helped.ts";
import { type Wish, type WishSentence, conversationsOf, firstWording } from "./wish.ts";

/** A wish in one line: its wording, or else its last sentence. */
export const wishText = (wish: Wish): string =>
  oneLine(firstWording(wish)?.text ?? wish.said.findLast(({ text }) => text !== "")?.text ?? wish.id, 80);

/** `You said this 4 times: 1, 4 and 7 (twice) November 2026.` Counts each conversation once; dates are UTC. */
export function saidText(wish: Pick<Wish, "said">): string {
  const talks = conversationsOf(wish).map(
    (id) => wish.said.find(({ conversation }) => conversation === id)?.at ?? 0,
  );
  if (talks.length === 1) return `You said this once: ${daysText(talks)}.`;
  return `You said this ${talks.length} times: ${daysText(talks)}.`;
}

/** `You took it back on 9 November 2026: "forget the tabs".` Without the words if they are no longer kept. */
export const tookBackText = ({ at, text }: Pick<WishSentence, "at" | "text">): string =>
  `You took it back on ${daysText([at])}${text === "" ? "" : `: ${JSON.stringify(oneLine(text, 160))}`}.`;

/** `28 October, 1 and 4 (twice) November 2026`: each day once, oldest first; dates are UTC. */
export function daysText(instants: readonly number[]): string {
  const days = Map.groupBy(
    instants.toSorted((a, b) => a - b),
    (at) => dayOf(at),
  );
  const months = Map.groupBy([...days], ([day]) => day.slice(0, 7));
  const years = Map.groupBy([...months], ([month]) => month.slice(0, 4));
  return [...years]
    .map(([year, inYear]) => {
      const parts = inYear.map(([month, own]) => {
        const names = own.map(
          ([day, times]) => `${Number(day.slice(8))}${days.size === 1 ? "" : timesText(times.length)}`,
        );
        return `${listed(names)} ${monthNames[Number(month.slice(5)) - 1]}`;
      });
      return `${parts.join(", ")} ${year}`;
    })
    .join("; ");
}

/** `2026-11-03`. */
// oxlint-disable-next-line no-restricted-globals -- an instant as text; no clock is read
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

const timesText = (times: number): string =>
  times === 1 ? "" : times === 2 ? " (twice)" : ` (${times} times)`;

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

const monthNames =
  "January February March April May June July August September October November December".split(" ");

/** One sentence on whether an adopted wish has to be said less often, and how sure that is. */
export function helpedText(wish: Wish, { since, before, lastSaid, verdict }: Helped): string {
  const words = {
    rarer: "You have to say it less often",
    oftener: "You have to say it more often than before",
    unclear:
      since.said === 0
        ? "You didn't have to say it again, but that may be chance"
        : "You still had to say it",
  } as const;
  const last =
    lastSaid === undefined
      ? ""
      : ` Last time: ${daysText([lastSaid.at])}${lastSaid.text === "" ? "" : `, "${oneLine(lastSaid.text, 80)}"`}.`;
  return `"${wishText(wish)}", adopted ${daysText([wish.state.at])}: ${words[verdict]}. Since then in ${rateText(since)}, before in ${rateText(before)}.${last}`;
}

/** `1 of 9 conversations (11%, between 0% and 48%)`. */
const rateText = ({ said, conversations, share, between: [low, high] }: SaidRate): string =>
  `${said} of ${plural(conversations, "conversation")} (${percent(share)}%, between ${percent(low)}% and ${percent(high)}%)`;

const percent = (share: number): string => String(Math.round(100 * share));
