import { documentsOf } from "../memory/route-tasks.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import type { Wish } from "./wish.ts";

/**
 * Wishes with the documents of tonight that they belong into: what the agents read that they were told to. What they belonged
 * into before stays.
 */
export const routeWishes = (wishes: readonly Wish[], documents: readonly Document[]): readonly Wish[] =>
  wishes.map((wish) => {
    const agents = [...new Set(wish.said.map(({ agent }) => agent))];
    const found = documentsOf({ ...wish, agents }, documents).map(({ id }) => id);
    return found.every((id) => wish.documents.includes(id))
      ? wish
      : { ...wish, documents: [...new Set([...wish.documents, ...found])] };
  });
