import { makePower, type Power } from "./power.ts";
import { type FoundPower, findAddresses } from "./powers/addresses.ts";
import { findCommands } from "./powers/commands.ts";
import { findEncodings } from "./powers/encodings.ts";
import { findLanguages } from "./powers/languages.ts";
import { findPaths } from "./powers/paths.ts";
import { findPhrases } from "./powers/phrases.ts";
import { type PowerText, readPowerText } from "./powers/power-text.ts";
import { findLostSafeguards } from "./powers/safeguards.ts";
import { findUnrendered } from "./powers/unrendered.ts";

/**
 * The powers that the new text has and the old one has not, in the order of their lines, each once; a safeguard that
 * went has the line where it stood. It reads words, not
 * intentions: what it finds is for a person to judge, and what it does not find may still be wrong.
 */
export function findPowers(before: string, after: string): readonly Power[] {
  const [old, now] = [readPowerText(before), readPowerText(after)];
  const known = new Set(powersIn(old).map(({ id }) => id));
  const fresh = new Map<string, Power>();
  const compared = [...findLanguages(now, old), ...findLostSafeguards(now, old)].map(toPower);
  for (const power of [...powersIn(now), ...compared])
    if (!known.has(power.id) && !fresh.has(power.id)) fresh.set(power.id, power);
  return [...fresh.values()].toSorted((a, b) => a.line - b.line);
}

const powersIn = (text: PowerText): readonly Power[] =>
  detectors.flatMap((detect) => detect(text)).map(toPower);

const toPower = ({ kind, words, line }: FoundPower): Power => makePower(kind, words, line);

const detectors: readonly ((text: PowerText) => readonly FoundPower[])[] = [
  findAddresses,
  findCommands,
  findPaths,
  findPhrases,
  findEncodings,
  findUnrendered,
];
