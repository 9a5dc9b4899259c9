import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Resolved } from "../../../config/resolve/resolved.ts";
import { isHandoff } from "../../../core/work/handoff.ts";
import type { Journal } from "../../../core/ports/journal.ts";

/** What was asked by hand is in the journal, or no longer asked for: its files go, as words of conversations are in them. */
export async function clearHandoff(
  run: string,
  journal: Journal,
  { models }: Resolved,
  folder: string,
): Promise<void> {
  if (!Object.values(models).some(isHandoff)) return;
  const keys = new Set<string>();
  for await (const { key, kind } of journal.read({ run })) if (kind === "intent") keys.add(key);
  for (const name of ["questions.md", "answers.md"]) await rm(join(folder, name), { force: true });
  for (const key of keys)
    for (const name of ["pending", "answers"]) await rm(join(folder, name, `${key}.md`), { force: true });
}
