import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verify } from "../../src/index.ts";

/** Numbers that no verdict is computed into: `verify` takes them as they are stated, as docs/verify.md says. */
const statedOnly: Readonly<Record<string, RegExp>> = {
  "formats and numbers of events": /^(?:v|seq|overview\.v)$/,
  "settings and counts of tasks and steps":
    /^(?:settings|overview\.(?:tasks|steps?)|summary\.(?:steps|planned|accepted|judged|best))\b/,
  "costs in total": /^(?:costs|overview\.cost|summary\.cost)\b/,
  times: /^(?:timeline|overview\.(?:startedAt|at|workedMs))\b/,
  "the search: its steps, texts and scores on val":
    /^(?:steps|versions|epochs|baseline|end|summary\.val)\b|^evaluations\.\d+\.(?:step|version|texts?)\b/,
  "the worth of single rules": /^(?:rules|summary\.rules)\b/,
  "partial credit, where the verdict counts passes": /^evaluations\.\d+\.soft\b/,
  // they are told apart, not counted
  "numbers of trials": /^evaluations\.\d+\.trial\b/,
  // of the drift: only a large one is stated
  "the first text, measured again at the end": /^evidence\.claim\.again\b/,
};

export interface FiguresFound {
  readonly figures: number;
  readonly stated: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

type Path = readonly string[];

/** Changes the numbers of a report one at a time; `every` of them, or one in so many. */
export async function findEveryFigure(name: string, folder: string, every: number): Promise<FiguresFound> {
  const text = readFileSync(join(folder, "report.json"), "utf8");
  const file = join(folder, "forged-report.json");
  const asItIs = await findsChange(file, text);
  const problems = asItIs ? [`verify refuses the honest report of a ${name}`] : [];
  const stated: Record<string, number> = {};
  const figures: Path[] = [];
  const arms = armsOf(text);
  for (const path of numbersOf(JSON.parse(text))) {
    const kind = Object.keys(statedOnly).find((one) => statedOnly[one]?.test(path.join(".")));
    const isOfSearch = path[0] === "evaluations" && !arms.has(path[1] ?? "");
    const why = kind ?? (isOfSearch ? "results of the search, which no verdict comes from" : undefined);
    if (why === undefined) figures.push(path);
    else stated[why] = (stated[why] ?? 0) + 1;
  }
  const tried = figures.filter((_, at) => at % every === 0);
  for (const path of tried)
    if (!(await findsChange(file, withNumberChanged(text, path))))
      problems.push(`verify doesn't find that ${path.join(".")} of a ${name} was changed`);
  return { figures: tried.length, stated, problems };
}

/** Refusing a file that can't be computed is finding it, too. */
async function findsChange(file: string, text: string): Promise<boolean> {
  writeFileSync(file, text);
  return verify({ of: file }).then(
    ({ holds }) => !holds,
    (error: { code?: string }) => {
      if (error.code === "report-invalid") return true;
      throw error;
    },
  );
}

/** Which sets of results the claim compares. */
function armsOf(text: string): ReadonlySet<string> {
  const { evaluations } = JSON.parse(text) as { readonly evaluations: readonly { readonly name: string }[] };
  return new Set(
    evaluations.flatMap(({ name }, at) =>
      /^(?:eval|test_eval)_(?:before|after|baseline|best)$/.test(name) ? [String(at)] : [],
    ),
  );
}

export function numbersOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value === "number") return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => numbersOf(one, [...path, key]));
}

export function withNumberChanged(text: string, path: Path): string {
  const data = JSON.parse(text) as Record<string, unknown>;
  const row = path.slice(0, -1).reduce((inner, key) => inner[key] as Record<string, unknown>, data);
  const last = path.at(-1) ?? "";
  row[last] = Number(row[last]) * 1.01 + 0.003;
  return JSON.stringify(data);
}
