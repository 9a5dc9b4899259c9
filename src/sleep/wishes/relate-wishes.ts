import type { SentenceRelation } from "../../core/prompts/group-wishes.ts";
import { type Remark, addRemarks, keyOf } from "./remarks.ts";
import { type Wish, type WishState, isClosed, latestOf, textsOf } from "./wish.ts";
import { daysText, tookBackText } from "./wish-words.ts";

interface Related {
  /** When the night started, in milliseconds since the epoch. */
  readonly at: number;
  /** The id of the wish that a relation is about. */
  readonly wishOf: (relation: SentenceRelation) => string | undefined;
  /** The id of the wish that a sentence belongs to. */
  readonly homeOf: (sentence: number) => string | undefined;
  readonly said: (sentence: number) => readonly Remark[];
}

/** Applies the relations between sentences and wishes; the last sentence counts. */
export function relateWishes(
  wishes: readonly Wish[],
  relations: readonly SentenceRelation[],
  { at, wishOf, homeOf, said }: Related,
): readonly Wish[] {
  const byId = new Map(wishes.map((wish) => [wish.id, wish]));
  for (const relation of relations) {
    const target = byId.get(wishOf(relation) ?? "");
    const remarks = said(relation.sentence);
    const own = byId.get(homeOf(relation.sentence) ?? "");
    // a sentence for a single occasion changes nothing
    if (target === undefined || remarks.every(({ sentence }) => sentence.lasts === "once")) continue;
    if (relation.is === "narrows") byId.set(target.id, narrow(target, remarks, at));
    else if (relation.is === "takes back") byId.set(target.id, takeBack(target, remarks, at));
    else if (own !== undefined && own !== target) {
      const [older, newer] = lastSaid(own) >= lastSaid(target) ? [target, own] : [own, target];
      byId.set(older.id, inState(older, "changed", `You changed your mind on ${dayText(newer)}.`, at));
      byId.set(newer.id, replaceBy(newer, older, at));
    }
  }
  return wishes.map(({ id }) => byId.get(id) as Wish);
}

const lastSaid = ({ said }: Pick<Wish, "said">): number => said.at(-1)?.at ?? 0;
const dayText = (wish: Wish): string => daysText([lastSaid(wish)]);

const inState = (wish: Wish, kind: WishState["kind"], reason: string, at: number): Wish =>
  wish.state.kind === "rejected" ? wish : { ...wish, state: { kind, at, reason } };

const replaceBy = (wish: Wish, older: Wish, at: number): Wish => ({
  ...(isClosed(wish)
    ? inState({ ...wish, former: textsOf(wish), turnedAt: at }, "open", "You said it again.", at)
    : wish),
  replaces: [...new Set([...(wish.replaces ?? []), older.id])],
});

function takeBack(wish: Wish, remarks: readonly Remark[], at: number): Wish {
  const said = remarks.map(({ sentence }) => sentence);
  const last = latestOf(said);
  if (last === undefined || last.at < lastSaid(wish)) return wish;
  const against = [...(wish.against ?? []), ...said];
  return { ...inState(wish, "withdrawn", tookBackText(last), at), against };
}

/** Narrows a wish. It gets a new wording from all its sentences, which replaces the old one in files. */
function narrow(wish: Wish, remarks: readonly Remark[], at: number): Wish {
  const known = new Set(wish.said.map(keyOf));
  const news = remarks.filter(({ sentence }) => !known.has(keyOf(sentence)));
  const told = addRemarks(wish, news);
  const reason = `You narrowed it on ${daysText([Math.max(...remarks.map(({ sentence }) => sentence.at))])}.`;
  return {
    ...(told.state.kind === "adopted" ? inState(told, "open", reason, at) : told),
    wordings: [],
    former: textsOf(wish),
    turnedAt: at,
  };
}
