import { cp, mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import type { TranscriptSource } from "../../src/core/ports/transcripts.ts";
import type { RawConversation } from "../../src/core/ports/conversation.ts";

/** Where the recorded conversations were held; on this machine there is no such folder. */
export const recordedProject = "/home/dev/project";

/** A copy of an agent's recorded home, all of its files changed at one instant. */
export async function fixtureHome(agent: string, changedAt = Date.UTC(2026, 10, 15, 12)): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "whetstone-transcripts-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await cp(resolve(import.meta.dirname, "../fixtures/transcripts", agent), home, {
    recursive: true,
  });
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), changedAt / 1000, changedAt / 1000);
  return home;
}

/** Everything that a source has of a project, by the agent's own id. */
export async function readAll(
  source: TranscriptSource,
  project = recordedProject,
): Promise<ReadonlyMap<string, RawConversation | { readonly skipped: string }>> {
  const found = new Map<string, RawConversation | { readonly skipped: string }>();
  for (const ref of await source.list({ project, since: 0 }))
    found.set(ref.id.slice(ref.id.indexOf(":") + 1), await source.read(ref));
  return found;
}

/** A file of records, one a line. */
export const asLines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");
