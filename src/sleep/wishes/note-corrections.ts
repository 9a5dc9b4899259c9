import type { Digest } from "../../core/ports/conversation.ts";
import { hintsIn } from "../mine/check-mined.ts";
import { groupPlainly } from "./group-wishes.ts";
import { findRemarks, startWish } from "./remarks.ts";
import type { Wish } from "./wish.ts";

/** The wishes of a night without a model: corrections that a program finds, in the person's own words. */
export function noteCorrections(
  wishes: readonly Wish[],
  conversations: readonly Digest[],
  at: number,
): readonly Wish[] {
  const heard = conversations.flatMap(hintsIn);
  const { known, groups } = groupPlainly(
    wishes.filter(({ isNoted }) => isNoted === true),
    findRemarks({ tasks: [], heard, conversations, wishes, at }),
  );
  const noted = groups.map((group) => ({ ...startWish(group), isNoted: true as const }));
  return [...wishes.filter(({ isNoted }) => isNoted !== true), ...known, ...noted];
}

/** Removes noted sentences that a model reads tonight, except for wishes that a person decided on. */
export const withoutNoted = (
  wishes: readonly Wish[],
  conversations: readonly Pick<Digest, "id">[],
): readonly Wish[] =>
  wishes.flatMap((wish) => {
    const said = wish.said.filter(({ conversation }) => conversations.every(({ id }) => id !== conversation));
    if (wish.isNoted !== true || wish.state.kind !== "open") return [wish];
    return said.length === 0 ? [] : [{ ...wish, said }];
  });
