import type { Context } from "../../core/context.ts";
import type { Place } from "../../core/place.ts";
import { createFence } from "../../core/prompts/fence.ts";
import { type GroupReply, groupWishesPrompt } from "../../core/prompts/group-wishes.ts";
import { oneLine } from "../../core/one-line.ts";
import { askModel } from "../../core/stages/ask-model.ts";
import { joinSections } from "../../core/stages/optimizer-text.ts";
import { isPlainlySame, readPlain, readWish } from "./plainly-same.ts";
import { type Remark, addRemarks, startWish } from "./remarks.ts";
import { type Wish, firstWording } from "./wish.ts";

/** Remarks that ask the same. */
type Group = [Remark, ...Remark[]];

/**
 * The wishes after what was said tonight. What is plainly the same goes together by itself; the rest by one call over all
 * that is known. Known wishes only gain sentences, in their order; new ones follow. Without a usable reply each remark that
 * is left stands for itself.
 */
export async function groupWishes(
  wishes: readonly Wish[],
  remarks: readonly Remark[],
  context: Context,
): Promise<readonly Wish[]> {
  const { known, groups } = groupPlainly(wishes, remarks);
  if (groups.length === 0 || known.length + groups.length < 2) return [...known, ...groups.map(startWish)];
  const place: Place = { role: "miner", step: 0, stage: "mine" };
  const reply = await askModel(groupWishesPrompt, groupingText(known, groups), place, context);
  return applyGroups(known, groups, reply ?? { groups: [], same: [] });
}

/** As far as a program can tell. */
export function groupPlainly(
  wishes: readonly Wish[],
  remarks: readonly Remark[],
): { readonly known: readonly Wish[]; readonly groups: readonly Group[] } {
  const known = wishes.map((wish) => ({ wish, read: [...readWish(wish)] }));
  const groups: { readonly group: Group; readonly read: string[] }[] = [];
  for (const remark of remarks) {
    const own = readPlain(remark.sentence.text);
    const isOf = ({ read }: { readonly read: readonly string[] }) =>
      read.some((text) => isPlainlySame(text, own));
    const wish = known.find(isOf);
    const earlier = groups.find(isOf);
    if (wish !== undefined) wish.wish = addRemarks(wish.wish, [remark]);
    else if (earlier !== undefined) earlier.group.push(remark);
    else groups.push({ group: [remark], read: [] });
    (wish ?? earlier ?? groups.at(-1))?.read.push(own);
  }
  return { known: known.map(({ wish }) => wish), groups: groups.map(({ group }) => group) };
}

/** Believes a reply as far as it adds up: a group goes to one place, and no known wish loses or swaps anything. */
export function applyGroups(
  wishes: readonly Wish[],
  groups: readonly Group[],
  reply: GroupReply,
): readonly Wish[] {
  const known = [...wishes];
  const left = new Set(groups);
  const fresh: Wish[] = [];
  for (const { sentences, wish } of reply.groups) {
    const [first, ...others] = sentences.flatMap((number) => {
      const group = groups[number - 1];
      return group !== undefined && left.delete(group) ? group : [];
    });
    if (first === undefined) continue;
    const found = wish === null ? undefined : known[wish - 1];
    if (found !== undefined && wish !== null) known[wish - 1] = addRemarks(found, [first, ...others]);
    else fresh.push(startWish([first, ...others]));
  }
  fresh.push(...[...left].map(startWish));
  return [...reply.same.reduce(proposeMerge, known), ...fresh];
}

/** The younger of the two says that it may be the older. */
function proposeMerge(wishes: readonly Wish[], [one, other]: readonly [number, number]): Wish[] {
  const [older, younger] = [wishes[Math.min(one, other) - 1], wishes[Math.max(one, other) - 1]];
  return wishes.map((wish) =>
    wish === younger && older !== undefined && older !== wish && !wish.sameAs.includes(older.id)
      ? { ...wish, sameAs: [...wish.sameAs, older.id] }
      : wish,
  );
}

function groupingText(wishes: readonly Wish[], groups: readonly Group[]): string {
  const sentences = groups.map(([{ sentence }], at) => `sentence ${at + 1}: ${shown(sentence.text)}`);
  const known = wishes.map((wish, at) => `wish ${at + 1}: ${wishLine(wish)}`);
  const fence = createFence({ sentences, known });
  return joinSections([
    ...(known.length === 0 ? [] : [fence.around("wishes", known.join("\n"))]),
    fence.around("sentences", sentences.join("\n")),
    `Group the sentences between the lines with the code ${fence.code}, and reply with the one JSON object.`,
  ]);
}

function wishLine(wish: Wish): string {
  const texts = [firstWording(wish)?.text ?? "", ...wish.said.slice(-shownSentences).map(({ text }) => text)];
  return [...new Set(texts.filter((text) => text !== "").map(shown))].join(" / ");
}

const shownSentences = 3;
const shown = (text: string): string => JSON.stringify(oneLine(text, 300));
