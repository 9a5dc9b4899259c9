import { makePower, type Power } from "./power.ts";
import { type FoundPower, findAddresses, findPaths } from "./powers/addresses.ts";
import { findCommands } from "./powers/commands.ts";
import { findEncodings, findUnrendered } from "./powers/encodings.ts";
import { type PowerText, readPowerText } from "./powers/power-text.ts";
import { rankOf } from "./powers/rank.ts";
import { findLostSafeguards } from "./powers/safeguards.ts";

/**
 * The powers that the new text has and the old one has not, as far as a program can tell: addresses, commands, paths, what is
 * encoded or not shown. In the order of their lines, each once; a safeguard that went has the line where it stood. What
 * sentences mean, a model is asked.
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
