import { existsSync } from "node:fs";
import { join } from "node:path";
import { detectSecretsRules } from "./rules-of-detect-secrets.ts";
import { gitleaksRules } from "./rules-of-gitleaks.ts";
import { trufflehogRules } from "./rules-of-trufflehog.ts";

/** One rule of somebody else's scanner, read from a checkout of it. */
export interface ForeignRule {
  readonly id: string;
  /** Undefined where it could not be read. */
  readonly pattern: string | undefined;
  readonly anyCase: boolean;
  /** Words one of which must stand near: the rule finds nothing by form alone. */
  readonly keywords: readonly string[];
  /** Its own lower bound, in bits to a character. */
  readonly entropy: number;
}

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
