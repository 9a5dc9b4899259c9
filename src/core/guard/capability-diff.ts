import { makePower, type Power } from "./power.ts";
import { type FoundPower, findAddresses, findPaths } from "./powers/addresses.ts";
import { findCommands } from "./powers/commands.ts";
import { findEncodings, findUnrendered } from "./powers/encodings.ts";
import { findLanguages, languagesIn } from "./powers/languages.ts";
import { findPhrases } from "./powers/phrases.ts";
import { type PowerText, readPowerText } from "./powers/power-text.ts";
import { rankOf } from "./powers/rank.ts";
import { findLostSafeguards } from "./powers/safeguards.ts";
import { findWeakerCode } from "./powers/weaker-code.ts";

/**
 * The powers that the new text has and the old one has not, in the order of their lines, each once; a safeguard that
 * went has the line where it stood. It reads words, not
 * intentions: what it finds is for a person to judge, and what it does not find may still be wrong. `typed` is what the
 * person wrote: their own language is no more than a note.
 */
export function findPowers(before: string, after: string, typed: readonly string[] = []): readonly Power[] {
  const [old, now] = [readPowerText(before), readPowerText(after)];
  const known = new Set(powersIn(old).map(({ id }) => id));
  const fresh = new Map<string, Power>();
  const own = languagesIn(readPowerText(typed.join("\n\n")));
  const foreign = findLanguages(now, old).map(({ language, ...each }) =>
    makePower("language", each.words, { line: each.line, rank: own.has(language) ? "note" : "ask" }),
  );
  for (const power of [...powersIn(now), ...foreign, ...findLostSafeguards(now, old).map(toPower)])
    if (!known.has(power.id) && !fresh.has(power.id)) fresh.set(power.id, power);
  return [...fresh.values()].toSorted((a, b) => a.line - b.line);
}

const powersIn = (text: PowerText): readonly Power[] =>
  detectors.flatMap((detect) => detect(text)).map(toPower);

const toPower = ({ kind, words, line }: FoundPower): Power =>
  makePower(kind, words, { line, rank: rankOf(kind, words) });

const detectors: readonly ((text: PowerText) => readonly FoundPower[])[] = [
  findAddresses,
  findCommands,
  findPaths,
  findPhrases,
  findWeakerCode,
  findEncodings,
  findUnrendered,
];
