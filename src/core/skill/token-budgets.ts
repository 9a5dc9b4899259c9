import { estimateTokens } from "../work/estimate-tokens.ts";
import { withoutFrontmatter } from "./regions.ts";
import type { Skill } from "./skill.ts";
import { type Surface, surfaceOf } from "./surface.ts";

/** The estimated token limit of each surface; references and scripts each count separately. @default no limit */
export interface TokenBudgets {
  readonly description?: number;
  readonly body?: number;
  readonly reference?: number;
  readonly script?: number;
}

/** Why a file may not grow to this text, as a sentence. A file that's already over its budget may shrink or stay. */
export function findFileOverrun(
  skill: Skill,
  path: string,
  after: string,
  budgets: TokenBudgets,
): string | undefined {
  const surface = surfaceOf(path, skill);
  const budget = surface === "asset" ? undefined : budgets[surface];
  if (budget === undefined) return undefined;
  const [old, now] = [skill.files[path] ?? "", after].map((text) =>
    estimateTokens(surface === "body" ? withoutFrontmatter(text) : text),
  );
  if (old === undefined || now === undefined || now <= budget || now <= old) return undefined;
  return `The ${surface} would have about ${now} tokens, of at most ${budget}.`;
}

export interface TightFile {
  readonly path: string;
  readonly surface: Exclude<Surface, "asset">;
  readonly tokens: number;
  readonly budget: number;
}

/** The files with almost no room left. */
export function findTightFiles(skill: Skill, budgets: TokenBudgets): readonly TightFile[] {
  return Object.entries(skill.files).flatMap(([path, text]) => {
    const surface = surfaceOf(path, skill);
    if (surface === "asset") return [];
    const budget = budgets[surface] ?? Number.POSITIVE_INFINITY;
    const tokens = estimateTokens(surface === "body" ? withoutFrontmatter(text) : text);
    return tokens < tightShare * budget ? [] : [{ path, surface, tokens, budget }];
  });
}

const tightShare = 0.95;
