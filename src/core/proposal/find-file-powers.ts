import { hashText } from "../canonical.ts";
import { findPowers } from "../guard/capability-diff.ts";
import { makePower, type Power } from "../guard/power.ts";

export type FilePower = Power & { readonly path: string };

/** A file as it was and as it is proposed; null where there is none. */
export interface FileVersions {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * What the changed files let an agent do that none of them let it before. A changed script is a power by itself,
 * whatever its words: an agent runs it.
 */
export function findFilePowers(files: readonly FileVersions[]): readonly FilePower[] {
  const before = files.map((file) => file.before ?? "").join("\n\n");
  const after = files.map((file) => file.after ?? "").join("\n\n");
  // what moved from one file to another is nothing new, and no safeguard is lost
  const fresh = new Set(findPowers(before, after).map(({ id }) => id));
  const found = new Map<string, FilePower>();
  for (const { path, before: old, after: now } of files) {
    const powers = [
      ...(now === null || now === old || isProse(path) ? [] : [scriptPower(path, now)]),
      ...findPowers(old ?? "", now ?? "").filter(({ id }) => fresh.has(id)),
    ];
    for (const power of powers) if (!found.has(power.id)) found.set(power.id, { ...power, path });
  }
  return [...found.values()];
}

const isProse = (path: string): boolean =>
  /(?:^|\/)[^./]+$|\.(?:md|mdc|markdown|txt|rst)$/i.test(path) &&
  !/(?:^|\/)(?:scripts|bin|hooks)\//i.test(path);

const scriptPower = (path: string, text: string): Power =>
  makePower("script", `${path}, SHA-256 ${hashText(text).slice(0, 16)}`, 1);
