import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { findAnswer } from "../../adapters/models/handoff-sheet.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { isHandoff } from "../../core/work/handoff.ts";
import { readIfThere } from "../../run/offer/live-skill.ts";
import type { Journal } from "../../core/ports/journal.ts";

/**
 * Deletes the files of questions asked by hand, because they contain text of conversations. The answers are in the journal. A
 * sheet stays if it has a question of another run, or an answer to one.
 */
export async function clearHandoff(
  run: string,
  journal: Journal,
  { models }: Resolved,
  folder: string,
): Promise<void> {
  if (!Object.values(models).some(isHandoff)) return;
  const keys = new Set<string>();
  for await (const { key, kind } of journal.read({ run })) if (kind === "intent") keys.add(key);
  for (const key of keys)
    for (const name of ["pending", "answers"]) await rm(join(folder, name, `${key}.md`), { force: true });
  const pending = join(folder, "pending");
  const waiting = existsSync(pending) ? (await readdir(pending)).map((name) => basename(name, ".md")) : [];
  for (const name of ["questions.md", "answers.md"]) {
    const path = join(folder, name);
    const sheet = readIfThere(path)?.toString() ?? "";
    // a long sheet only lists the files of its questions
    const isNamed = (key: string) => findAnswer(sheet, key) !== undefined || sheet.includes(key);
    if (!waiting.some(isNamed)) await rm(path, { force: true });
  }
}
