import { isNoSecret } from "./drawn-tokens.ts";
import { hashNames } from "./hash-names.ts";
import { findSpokenSecrets } from "./spoken-secrets.ts";
import { changes, entropy, isTemplate, wordShare } from "./secret-value.ts";

/** A word that may be a secret but that no rule matched: only a person can tell. */
export interface Suspect {
  readonly start: number;
  readonly end: number;
}

/** Random-looking words of 12 or more characters, and odd ones near a word for a key. A rule wouldn't go this far. */
export function findSuspects(redacted: string): readonly Suspect[] {
  const drawn = findDrawn(redacted);
  const spoken = findSpokenSecrets(redacted).filter(({ start, end }) =>
    drawn.every((other) => other.end <= start || end <= other.start),
  );
  return [...drawn, ...spoken].toSorted((a, b) => a.start - b.start);
}

function findDrawn(redacted: string): readonly Suspect[] {
  return [...redacted.matchAll(wordPattern)].flatMap((match) => {
    const token = match[0].replace(/[.!~=-]+$/, "");
    if (!isSuspect(token) || isNoSecret(redacted, match.index, token)) return [];
    const before = /([A-Za-z\d]+)\W{0,3}$/.exec(redacted.slice(Math.max(0, match.index - 24), match.index));
    // `commit 3f78…`, `sha256:…`
    if (hashNames.has((before?.[1] ?? "").toLowerCase())) return [];
    return [{ start: match.index, end: match.index + token.length }];
  });
}

const wordPattern = /(?<![\w+/.~!$%@«\\-])[A-Za-z\d][\w+/.~!$%@-]{11,599}={0,3}/g;

function isSuspect(token: string): boolean {
  const core = token.replaceAll(/[^A-Za-z\d]/g, "");
  return (
    core.length >= 12 &&
    !/@|\/\/|\.\.|\.[A-Za-z]{1,5}$|^\d{4}-\d\d-\d\d|^v?\d+\.\d/.test(token) &&
    /\d/.test(core) &&
    /[A-Za-z]/.test(core) &&
    changes(core) >= 0.2 &&
    wordShare(token) <= 0.3 &&
    entropy(core) >= 2.8 &&
    !isTemplate(token)
  );
}
