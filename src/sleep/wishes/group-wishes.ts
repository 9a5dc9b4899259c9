import type { Context } from "../../core/context.ts";
import type { Place } from "../../core/place.ts";
import { createFence } from "../../core/prompts/fence.ts";
import { type GroupReply, groupWishesPrompt } from "../../core/prompts/group-wishes.ts";
import { oneLine } from "../../core/one-line.ts";
import { askModel } from "../../core/stages/ask-model.ts";
import { joinSections } from "../../core/stages/optimizer-text.ts";
import { isPlainlySame, readPlain, readWish } from "./plainly-same.ts";
import { type Remark, addRemarks, startWish } from "./remarks.ts";
import { relateWishes } from "./relate-wishes.ts";
import { saidLine } from "./said-line.ts";
import { type Wish, firstWording } from "./wish.ts";
import { dayOf } from "./wish-words.ts";

/** Remarks that ask for the same thing. */
type Group = [Remark, ...Remark[]];

/**
 * Adds tonight's remarks to the wishes. Identical words are grouped without a model. One call groups the rest with all known
 * wishes, and reports what a sentence changes or takes back. Known wishes only gain sentences and keep their order; new
 * ones follow. Without a usable reply, each remaining remark becomes its own wish.
 */
export async function groupWishes(
  wishes: readonly Wish[],
  remarks: readonly Remark[],
  /** When the night started, in milliseconds since the epoch. */
  at: number,
  context: Context,
): Promise<readonly Wish[]> {
  const { known, groups } = groupPlainly(wishes, remarks);
  if (groups.length === 0 || known.length + groups.length < 2) return [...known, ...groups.map(startWish)];
  const place: Place = { role: "miner", step: 0, stage: "mine" };
  const reply = await askModel(groupWishesPrompt, groupingText(known, groups), place, context);
  return applyGroups(known, groups, reply ?? { groups: [], relations: [], same: [] }, at);
}

/** Groups remarks as far as a program can tell. */
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

/** Applies the consistent parts of a reply: no known wish loses or swaps anything, and the last sentence on a wish counts. */
export function applyGroups(
  wishes: readonly Wish[],
  groups: readonly Group[],
  reply: GroupReply,
  at: number,
): readonly Wish[] {
  const known = [...wishes];
  const left = new Set(groups);
  const fresh: Wish[] = [];
  const homes = new Map<number, string>();
  const against = againstWish(reply);
  const shared = sharedIn(reply);
  for (const { sentences, wish } of reply.groups) {
    const numbers = [...new Set(sentences)].filter((number) => !against(number, wish, sentences));
    const [first, ...others] = numbers.flatMap((number) => {
      const group = groups[number - 1];
      if (group === undefined) return [];
      left.delete(group);
      // a task that asks for two things at once shows neither of them
      return [shared.has(number) ? (group.map((one) => ({ ...one, tasks: [] })) as unknown as Group) : group];
    });
    if (first === undefined) continue;
    const remarks: Group = [...first, ...others.flat()] as unknown as Group;
    const found = wish === null ? undefined : known[wish - 1];
    const grown = found === undefined ? startFresh(remarks, fresh) : addRemarks(found, remarks);
    if (found !== undefined && wish !== null) known[wish - 1] = grown;
    else fresh.push(grown);
    for (const number of numbers) homes.set(number, homes.get(number) ?? grown.id);
  }
  for (const group of left) {
    const number = groups.indexOf(group) + 1;
    if (isOnlyAgainst(number, reply)) continue;
    const own = startFresh(group, fresh);
    homes.set(number, own.id);
    fresh.push(own);
  }
  const all = [...reply.same.reduce(proposeMerge, known), ...fresh];
  return relateWishes(all, reply.relations, {
    at,
    wishOf: ({ wish, of }) => (wish === null ? homes.get(of ?? 0) : wishes[wish - 1]?.id),
    homeOf: (sentence) => homes.get(sentence),
    said: (sentence) => groups[sentence - 1] ?? [],
  });
}

/** Two new wishes with the same first sentence get different ids. */
function startFresh(remarks: Group, fresh: readonly Wish[]): Wish {
  const wish = startWish(remarks);
  const twins = fresh.filter(({ id }) => id.startsWith(wish.id)).length;
  return twins === 0 ? wish : { ...wish, id: `${wish.id}-${twins + 1}` };
}

/** Numbers of sentences that belong to two groups. */
const sharedIn = ({ groups }: GroupReply): ReadonlySet<number> => {
  const numbers = groups.flatMap(({ sentences }) => [...new Set(sentences)]);
  return new Set(numbers.filter((number, at) => numbers.indexOf(number) !== at));
};

/** Whether a sentence contradicts a wish or the group's other sentences, so that it can't belong to the group. */
const againstWish =
  ({ relations }: GroupReply) =>
  (number: number, wish: number | null, sentences: readonly number[]): boolean =>
    relations.some(
      ({ sentence, is, wish: known, of }) =>
        sentence === number &&
        is !== "narrows" &&
        (known === null ? of !== null && of !== number && sentences.includes(of) : known === wish),
    );

const isOnlyAgainst = (number: number, { relations }: GroupReply): boolean =>
  relations.some(
    ({ sentence, is, wish, of }) => sentence === number && is === "takes back" && (wish ?? of) !== null,
  );

/** Notes on the younger of two wishes that it may be the same as the older. */
function proposeMerge(wishes: readonly Wish[], [one, other]: readonly [number, number]): Wish[] {
  const [older, younger] = [wishes[Math.min(one, other) - 1], wishes[Math.max(one, other) - 1]];
  return wishes.map((wish) =>
    wish === younger && older !== undefined && older !== wish && !wish.sameAs.includes(older.id)
      ? { ...wish, sameAs: [...wish.sameAs, older.id] }
      : wish,
  );
}

function groupingText(wishes: readonly Wish[], groups: readonly Group[]): string {
  const sentences = groups.map(([{ sentence }], at) => `sentence ${at + 1}: ${saidLine(sentence)}`);
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
  const lines = [...new Set(texts.filter((text) => text !== "").map(shown))].join(" / ");
  const last = wish.said.at(-1);
  return last === undefined ? lines : `${lines} (last said ${dayOf(last.at)})`;
}

const shownSentences = 3;
const shown = (text: string): string => JSON.stringify(oneLine(text, 300));
