import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importTasks } from "../../../src/adapters/importers/import-tasks.ts";

/** What became of one promptfoo config. */
interface Measured {
  readonly path: string;
  readonly kind: "whole" | "in part" | "no asserts" | "similar" | "pictures" | "missing";
  /** Those with an assert, and those of them that can be scored. */
  readonly tasks: number;
  readonly valid: number;
  readonly reasons: readonly string[];
}

export interface Sample {
  readonly configs: readonly Measured[];
  /** Of the configs with asserts, without `similar` and pictures. */
  readonly whole: { readonly share: number; readonly count: number; readonly of: number };
  /** Of their tasks with an assert. */
  readonly valid: { readonly share: number; readonly count: number; readonly of: number };
  readonly isReached: boolean;
}

/** The bars of the project's issue on suites. */
const [leastWhole, leastValid] = [0.85, 0.95];

/** Imports these configs of a promptfoo checkout and counts what came whole. Reads only. */
export async function measureSample(checkout: string, paths: readonly string[]): Promise<Sample> {
  const configs: Measured[] = [];
  for (const path of paths) configs.push(await measureConfig(checkout, path));
  const counted = configs.filter(({ kind }) => kind === "whole" || kind === "in part");
  const ratio = (count: number, of: number) => ({ share: of === 0 ? 1 : count / of, count, of });
  const sum = (of: (one: Measured) => number) => counted.reduce((all, one) => all + of(one), 0);
  const whole = ratio(
    sum(({ kind }) => Number(kind === "whole")),
    counted.length,
  );
  const valid = ratio(
    sum((one) => one.valid),
    sum((one) => one.tasks),
  );
  const isReached = counted.length > 0 && whole.share >= leastWhole && valid.share >= leastValid;
  return { configs, whole, valid, isReached };
}

async function measureConfig(checkout: string, path: string): Promise<Measured> {
  const file = join(checkout, path);
  if (!existsSync(file))
    return { path, kind: "missing", tasks: 0, valid: 0, reasons: ["not in this checkout"] };
  const text = readFileSync(file, "utf8").replaceAll(/^\s*#.*$/gm, "");
  const says = (pattern: RegExp) => pattern.test(text);
  const hasAsserts = says(/^\s*(?:- )?assert:/m);
  const of = (kind: Measured["kind"], reasons: readonly string[], tasks = 0, valid = 0): Measured => ({
    path,
    kind: says(/type:\s*['"]?(?:not-)?similar\b/)
      ? "similar"
      : says(/\.(?:png|jpe?g|gif|webp)\b|image_url|data:image/)
        ? "pictures"
        : kind,
    tasks,
    valid,
    reasons,
  });
  try {
    const { tasks, notUnderstood } = await importTasks(file);
    const ids = new Set(tasks.map(({ id }) => id));
    const refused = notUnderstood.filter(({ effect }) => effect === "invalid");
    const bare = new Set(
      refused.filter(({ what }) => what.startsWith("no assertion")).map(({ where }) => where),
    );
    const asserted = tasks.filter(({ id }) => !bare.has(id));
    if (asserted.length === 0 && !hasAsserts) return of("no asserts", []);
    const lost = new Set(refused.map(({ where }) => where));
    const valid = asserted.filter(({ id }) => !lost.has(id)).length;
    const aside = asserted.flatMap(({ metadata }) => (metadata?.["leftAside"] ?? []) as readonly string[]);
    const reasons = [
      ...refused.filter(({ where }) => !bare.has(where)).map(({ what }) => what),
      ...aside.map((type) => `${type} is left aside`),
    ];
    const unread = refused.filter(({ where }) => !ids.has(where));
    const isWhole = asserted.length > 0 && valid === asserted.length && aside.length + unread.length === 0;
    return of(isWhole ? "whole" : "in part", [...new Set(reasons)], asserted.length, valid);
  } catch (error) {
    return of(hasAsserts ? "in part" : "no asserts", [(error as Error).message.replaceAll(file, "it")]);
  }
}

export function sampleLines({ configs, whole, valid, isReached }: Sample): readonly string[] {
  const line = (name: string, { share, count, of }: Sample["whole"], least: number) =>
    `${name}: ${count} of ${of}, ${(100 * share).toFixed(1)}% (bar ${100 * least}%)`;
  const kinds = Map.groupBy(configs, ({ kind }) => kind);
  const others = [...kinds].filter(([kind]) => kind !== "whole" && kind !== "in part");
  return [
    ...configs.flatMap(({ path, kind, reasons }) =>
      kind === "whole" || reasons.length === 0
        ? []
        : [`${path} (${kind})`, ...reasons.map((why) => `  ${why}`)],
    ),
    "",
    line("Imported whole", whole, leastWhole),
    line("Valid tasks", valid, leastValid),
    `Counted separately: ${others.map(([kind, all]) => `${all.length} ${kind}`).join(", ") || "none"}`,
    isReached ? "Both bars are reached." : "Not reached.",
  ];
}
