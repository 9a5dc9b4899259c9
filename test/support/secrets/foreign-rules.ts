import { type ForeignRule } from "./foreign-rule.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { detectSecretsRules } from "./rules-of-detect-secrets.ts";
import { gitleaksRules } from "./rules-of-gitleaks.ts";
import { trufflehogRules } from "./rules-of-trufflehog.ts";

export interface RuleSet {
  readonly name: string;
  readonly rules: readonly ForeignRule[];
}

/** The rules of a checkout of gitleaks, trufflehog or detect-secrets, whichever it is. Nothing of it is kept. */
export function readRuleSet(folder: string): RuleSet {
  const holds = (path: string): boolean => existsSync(join(folder, path));
  if (holds("config/gitleaks.toml")) return { name: "gitleaks", rules: gitleaksRules(folder) };
  if (holds("pkg/detectors")) return { name: "trufflehog", rules: trufflehogRules(folder) };
  if (holds("detect_secrets/plugins")) return { name: "detect-secrets", rules: detectSecretsRules(folder) };
  throw new Error(`${folder} is no checkout of gitleaks, trufflehog or detect-secrets`);
}
