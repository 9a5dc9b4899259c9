import type { Role } from "../ports/model.ts";
import { isBatch } from "./batched-model.ts";
import { isHandoff } from "./handoff.ts";

/** Whether the target's answers wait for a person or for hours of a batch. */
export const answersLate = ({ models }: { readonly models: Readonly<Record<Role, string>> }): boolean =>
  isHandoff(models.target) || isBatch(models.target);
