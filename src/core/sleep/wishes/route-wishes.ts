import { documentOf } from "../memory/route-tasks.ts";
import type { Document } from "../rules/document.ts";
import type { Wish } from "./wish.ts";

/** Wishes with the documents of tonight that they belong into; what they belonged into before stays. */
export const routeWishes = (wishes: readonly Wish[], documents: readonly Document[]): readonly Wish[] =>
  wishes.map((wish) => {
    const found = documentOf(wish, documents)?.id;
    return found === undefined || wish.documents.includes(found)
      ? wish
      : { ...wish, documents: [...wish.documents, found] };
  });
