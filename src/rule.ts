/** The format of rules offered by trainings, prunings and nights, for other tools to read. Version 1, unstable until 0.3. */
export {
  type Decision,
  type Rule,
  type RuleEdit,
  type RuleEvidence,
  type Wished,
  readRule,
} from "./core/rules/rule.ts";
