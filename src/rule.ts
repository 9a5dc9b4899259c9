/** A rule as trainings, prunings and nights offer it, and as other tools can read it. Version 1, unstable until 0.3 is released. */
export {
  type Decision,
  type Rule,
  type RuleEdit,
  type RuleEvidence,
  type Wished,
  readRule,
} from "./core/rules/rule.ts";
