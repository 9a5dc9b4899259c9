import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LearnedRule, Review, Task } from "../../src/index.ts";

/** What nights remember, of which this much is read here. */
export interface NightState {
  readonly nights: readonly {
    readonly id: string;
    readonly sentence: string;
    readonly tasks: number;
    readonly conversations: number;
    readonly corrections: number;
  }[];
  readonly archive: readonly {
    readonly task: Task;
    readonly split: string;
    readonly firstSeen: string;
    readonly wonBy: unknown;
  }[];
  readonly rules: readonly LearnedRule[];
  readonly wishes: readonly {
    readonly id: string;
    readonly said: readonly { readonly text: string; readonly at: number }[];
    readonly against?: readonly { readonly text: string }[];
    readonly wordings: readonly { readonly text: string }[];
  }[];
}

/** The state after the last night; undefined before the first. */
export function readNightState(journalDir: string): NightState | undefined {
  const path = join(journalDir, "sleep/state.json");
  if (!existsSync(path)) return undefined;
  return (JSON.parse(readFileSync(path, "utf8")) as { readonly body: NightState }).body;
}

/** All that nights proposed, as it was staged, the oldest first. */
export function readStaged(journalDir: string): readonly Review[] {
  const folder = join(journalDir, "proposals");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((id) => JSON.parse(readFileSync(join(folder, id, "review.json"), "utf8")) as Review)
    .toSorted((a, b) => (a.stagedAt ?? 0) - (b.stagedAt ?? 0) || (a.id < b.id ? -1 : 1));
}

/** As `whetstone sleep init` writes it down: what nights may read of a project. */
export function allowNights(
  journalDir: string,
  { project, sources, at = Date.now() }: { project: string; sources: readonly string[]; at?: number },
): void {
  mkdirSync(join(journalDir, "sleep"), { recursive: true, mode: 0o700 });
  const consent = { v: 1, at, project, sources, exclude: [], retentionDays: 90, localOnly: false };
  writeFileSync(join(journalDir, ".gitignore"), "*\n");
  const text = `${JSON.stringify(consent, null, 2)}\n`;
  writeFileSync(join(journalDir, "sleep/consent.json"), text, { mode: 0o600 });
}
