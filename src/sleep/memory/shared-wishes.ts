import { knownProjects } from "../../config/journal-place.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { waitingRules } from "../../core/offer/review.ts";
import { listWaiting } from "../../run/offer/offers.ts";
import { type Consent, hasConsent, readConsent } from "../consent.ts";
import { type SleepState, stateFile } from "../state.ts";
import { keyOf } from "../wishes/remarks.ts";
import type { Wish } from "../wishes/wish.ts";

/** Journals of the person's other projects whose nights may share wishes with this one's. */
export const sharingJournals = (
  journalDir: string,
  { localOnly }: Pick<Consent, "localOnly">,
): readonly string[] =>
  knownProjects()
    .map((project) => project.journalDir)
    .filter((one) => one !== journalDir && hasConsent(one) && isSharing(one, localOnly));

/** A project with damaged files shares nothing, but doesn't stop the others. */
function isSharing(journalDir: string, isLocal: boolean): boolean {
  try {
    stateFile(journalDir).read();
    listWaiting(journalDir);
    return isLocal || !readConsent(journalDir).localOnly;
  } catch (error) {
    if (error instanceof WhetstoneError) return false;
    throw error;
  }
}

/** Adds other projects' wishes about the person. Only one project asks about them, but all know them. */
export function shareWishes(state: SleepState, others: readonly string[]): SleepState {
  const byId = new Map(ownWishes(state).wishes.map((wish) => [wish.id, wish]));
  for (const journalDir of others) {
    const waiting = new Set(
      listWaiting(journalDir).flatMap((review) => waitingRules(review).map(({ wish }) => wish?.id)),
    );
    const { project } = readConsent(journalDir);
    for (const wish of stateFile(journalDir).read()?.wishes ?? []) {
      if (wish.scope !== "personal") continue;
      const merged = mergeWish(byId.get(wish.id), wish);
      byId.set(wish.id, waiting.has(wish.id) ? { ...merged, waitsIn: project } : merged);
    }
  }
  return { ...state, wishes: [...byId.values()] };
}

function mergeWish(own: Wish | undefined, other: Wish): Wish {
  const known = new Set(own?.said.map(keyOf));
  const foreign = other.said
    .filter((one) => !known.has(keyOf(one)))
    // the work it was said about stays in its project
    .map(({ scene: _scene, about: _about, reason: _reason, ...one }) => ({
      ...one,
      isElsewhere: true as const,
    }));
  const latest = own !== undefined && own.state.at >= other.state.at ? own : other;
  return {
    ...(own ?? { ...other, tasks: [] }),
    said: [...(own?.said ?? []), ...foreign].toSorted((a, b) => a.at - b.at),
    wordings: latest.wordings,
    state: latest.state,
  };
}

/** The wishes as this project keeps them: without sentences of other projects or wishes never said here. */
export const ownWishes = (state: SleepState): SleepState => ({
  ...state,
  wishes: state.wishes.flatMap(({ waitsIn: _waitsIn, ...wish }) => {
    const said = wish.said.filter(({ isElsewhere }) => isElsewhere !== true);
    return said.length === 0 ? [] : [{ ...wish, said }];
  }),
});
