import type { Role } from "../ports/model.ts";
import { isHandoff } from "./handoff.ts";

/** `batch/<provider>/<model>`: the same model, asked in batches that its provider answers later and sells for less. */
export const batchProvider = "batch";

export const isBatch = (id: string): boolean => id.startsWith(`${batchProvider}/`);

/** The model that answers, whichever way it is asked. */
export const answeringModel = (id: string): string => (isBatch(id) ? id.slice(batchProvider.length + 1) : id);

/** Whether the target's answers wait for a person or for hours of a batch. */
export const answersLate = ({ models }: { readonly models: Readonly<Record<Role, string>> }): boolean =>
  isHandoff(models.target) || isBatch(models.target);
