import { makePower, type Power } from "./power.ts";
import { type FoundPower, findAddresses, findPaths } from "./powers/addresses.ts";
import { findCommands } from "./powers/commands.ts";
import { findEncodings, findUnrendered } from "./powers/encodings.ts";
import { type PowerText, readPowerText } from "./powers/power-text.ts";
import { rankOf } from "./powers/rank.ts";
import { findLostSafeguards } from "./powers/safeguards.ts";

/**
 * The powers that only the new text has, as far as a program can tell: addresses, commands, paths, encoded text and text
 * that isn't shown. They come in line order, each once; a removed safeguard has its old line number. A model is asked
 * what sentences mean.
 */
export function findPowers(before: string, after: string): readonly Power[] {
  const [old, now] = [readPowerText(before), readPowerText(after)];
  const known = new Set(powersIn(old).map(({ id }) => id));
  const fresh = new Map<string, Power>();
  for (const power of [...powersIn(now), ...findLostSafeguards(now, old).map(toPower)])
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
  findEncodings,
  findUnrendered,
];
