import type { Edit } from "../skill/edit.ts";
import { type RegionName, readRegion } from "../skill/regions.ts";
import { mainText, type Skill } from "../skill/skill.ts";
import { estimateTokens } from "../work/estimate-tokens.ts";

/** One change to the skill that a text includes or leaves out, independent of the others. */
export interface SearchRule {
  /** From 1, in the order of proposal. Texts are composed in this order. */
  readonly number: number;
  /** The step that proposed it. */
  readonly step: number;
  readonly change: Change;
  /** The rule whose words it changes: the two are levels of one factor and never in one text. */
  readonly levelOf?: number;
  /** Ids of the train tasks that asked for it, also in other words. */
  readonly evidence: readonly string[];
}

export type Change =
  | { readonly kind: "edit"; readonly edit: Edit }
  /** The main file rewritten, or the body of one of its protected regions. */
  | {
      readonly kind: "text";
      readonly region?: RegionName;
      readonly text: string;
      /** Numbers of the rules that this text already contains. */
      readonly holds: readonly number[];
    };

/** A rule's words: those that it adds, or those that it removes. */
export function wordsOfRule({ change }: Pick<SearchRule, "change">): string {
  if (change.kind === "text") return change.text.trim();
  const { op, target = "", content = "" } = change.edit;
  return (op === "delete" ? target : content).trim();
}

/** The file that a rule changes. */
export const ruleFile = ({ change }: Pick<SearchRule, "change">, skill: Skill): string =>
  (change.kind === "edit" ? change.edit.file : undefined) ?? skill.main;

/** Tokens that a rule adds to every prompt; negative for one that shortens the skill. */
export function ruleTokens({ change }: Pick<SearchRule, "change">, base: Skill): number {
  if (change.kind === "text") {
    const main = mainText(base);
    const before = change.region === undefined ? main : (readRegion(main, change.region) ?? "");
    return estimateTokens(change.text) - estimateTokens(before);
  }
  const { op, target = "", content = "" } = change.edit;
  const removed = op === "replace" || op === "delete" ? estimateTokens(target) : 0;
  return (op === "delete" ? 0 : estimateTokens(content)) - removed;
}
