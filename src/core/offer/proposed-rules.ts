import { z } from "zod";
import { type FoundRules, choosePart } from "../rules/choose-part.ts";
import { ruleTableSchema } from "../rules/rule-table.ts";
import { editOps } from "../skill/edit.ts";
import { skillIdentity } from "../skill/hash.ts";
import { regionNames } from "../skill/regions.ts";
import type { Skill } from "../skill/skill.ts";

/** The kept rules as a proposal carries them; undefined where they do not make up its text, and cannot be taken one by one. */
export function proposedRules(
  { original, best }: { readonly original: Skill; readonly best: Skill },
  { table, kept }: FoundRules,
): FoundRules | undefined {
  const rules = table.rules.filter(({ state }) => state === "kept");
  const found = { table: { ...table, rules }, kept };
  return skillIdentity(choosePart(original, found, {}).skill) === skillIdentity(best) ? found : undefined;
}

const ids = z.array(z.string());

const editSchema = z.object({
  op: z.enum(editOps),
  target: z.string().optional(),
  content: z.string().optional(),
  file: z.string().optional(),
  evidence: ids,
});

const changeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("edit"), edit: editSchema }),
  z.object({
    kind: z.literal("text"),
    region: z.enum(regionNames).optional(),
    text: z.string(),
    holds: z.array(z.int()),
  }),
]);

export const proposedRulesSchema: z.ZodType<FoundRules> = z.object({
  table: ruleTableSchema,
  kept: z.array(z.object({ number: z.int(), step: z.int(), change: changeSchema, evidence: ids })),
});
