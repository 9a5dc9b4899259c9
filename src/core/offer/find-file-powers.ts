import { hashText } from "../canonical.ts";
import { findPowers } from "../guard/capability-diff.ts";
import { makePower, type Power } from "../guard/power.ts";

export type FilePower = Power & { readonly path: string };

/** A file before and as proposed; null if it doesn't exist. */
export interface FileVersions {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * The powers that the changed files give an agent and that none of them gave it before. A changed script is a power by
 * itself, whatever its words, because an agent runs it.
 */
export function findFilePowers(files: readonly FileVersions[]): readonly FilePower[] {
  const found = new Map<string, FilePower>();
  for (const file of files) {
    const others = files.filter((each) => each !== file);
    const script =
      isProse(file.path) || file.after === null || file.after === file.before ? [] : [scriptPower(file)];
    const powers = findPowers(file.before ?? "", file.after ?? "").filter(
      (power) => !others.some((other) => isMoved(power, file, other)),
    );
    for (const power of [...script, ...powers])
      if (!found.has(power.id)) found.set(power.id, { ...power, path: file.path });
  }
  return [...found.values()];
}

/** It came from another file or, for a safeguard, went there. Then nothing is new, and nothing is lost. */
function isMoved({ id, kind }: Power, file: FileVersions, other: FileVersions): boolean {
  const has = (powers: readonly Power[]) => powers.some((power) => power.id === id);
  if (kind !== "safeguard") return has(findPowers("", other.before ?? ""));
  return other.after !== null && !has(findPowers(file.before ?? "", other.after));
}

export const isProse = (path: string): boolean =>
  /(?:^|\/)[^./]+$|\.(?:md|mdc|markdown|txt|rst)$/i.test(path) &&
  !/(?:^|\/)(?:scripts|bin|hooks)\//i.test(path);

const scriptPower = ({ path, after }: FileVersions): Power =>
  makePower("script", `${path}, SHA-256 ${hashText(after ?? "").slice(0, 16)}`, { line: 1 });
