import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Base } from "./make-bases.ts";

type Damage = (dir: string, random: () => number, base: Base) => void;

/** One way each in which a disk or a person can harm a journal. */
export const damages: Readonly<Record<string, Damage>> = {
  untouched: () => undefined,
  "torn tail of the database": (dir, random) => tearTail(database(dir), random),
  "torn tail of the log": (dir, random) => tearTail(log(dir), random),
  "flipped bit in the database": (dir, random) => flipBits(database(dir), 1, random),
  "flipped bit in the log": (dir, random) => flipBits(log(dir), 1, random),
  "twenty flipped bits in the database": (dir, random) => flipBits(database(dir), 20, random),
  "zeroed sector": (dir, random) => zeroSector(random() < 0.5 ? database(dir) : log(dir), random),
  "database cut anywhere": (dir, random) => cut(database(dir), random()),
  "log cut anywhere": (dir, random) => cut(log(dir), random()),
  "missing log": (dir) => rmSync(log(dir)),
  "missing head": (dir) => rmSync(head(dir)),
  "missing database": (dir, random) => {
    rmSync(database(dir));
    if (random() < 0.5) rmSync(log(dir));
  },
  "damaged head": (dir, random) => {
    const kind = random();
    if (kind < 0.4) flipBits(head(dir), 1 + Math.floor(random() * 4000), random);
    else if (kind < 0.7) zeroSector(head(dir), random);
    else cut(head(dir), random());
  },
  "older copy of the database": (dir, random, { older }) => {
    cpSync(older, database(dir));
    if (random() < 0.5) rmSync(log(dir));
  },
};

const database = (dir: string): string => join(dir, "journal.db");
const log = (dir: string): string => join(dir, "journal.db-wal");
const head = (dir: string): string => join(dir, "journal.head");

const cut = (file: string, share: number): void =>
  truncateSync(file, Math.floor(share * statSync(file).size));

/** The last write did not reach the disk in full: up to two pages are short or stale. */
function tearTail(file: string, random: () => number): void {
  const { size } = statSync(file);
  const lost = 1 + Math.floor(random() * Math.min(8192, size));
  if (random() < 0.5) truncateSync(file, size - lost);
  else {
    const bytes = readFileSync(file);
    for (let at = size - lost; at < size; at += 1) bytes[at] = Math.floor(random() * 256);
    writeFileSync(file, bytes);
  }
}

function flipBits(file: string, count: number, random: () => number): void {
  const bytes = readFileSync(file);
  for (let flip = 0; flip < count; flip += 1) {
    const at = Math.floor(random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  }
  writeFileSync(file, bytes);
}

function zeroSector(file: string, random: () => number): void {
  const bytes = readFileSync(file);
  const start = Math.floor((random() * bytes.length) / 512) * 512;
  bytes.fill(0, start, start + 512);
  writeFileSync(file, bytes);
}
