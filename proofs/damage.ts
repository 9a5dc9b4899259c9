import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../src/testing/index.ts";
import { damages } from "./damage/damages.ts";
import { canMount, fillDisk } from "./damage/fill-disk.ts";
import { type Judgement, judgeJournal, type Verdict } from "./damage/judge-journal.ts";
import { type Base, makeBases } from "./damage/make-bases.ts";
import { numberOption, type ProofOptions, type ProofResult } from "./proof.ts";

export const claim = "A damaged journal is refused, or nothing that was promised is missing or changed.";

type Counts = Record<Verdict, number>;

/** Options: `--seed n`, `--cases n` of each kind of damage. */
export default async function proveDamage({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", Math.floor(Math.random() * 1e9));
  const cases = numberOption(args, "cases", short ? 72 : 400);
  log(`seed ${seed} (repeat with: -- --seed ${seed})`);
  const root = mkdtempSync(join(tmpdir(), "whetstone-damage-"));
  const table = new Map<string, Counts>();
  try {
    const bases = await makeBases(root, seed, short ? 6 : 16);
    log(`journals left by killed processes: ${bases.length}, rows promised: ${sizes(bases)}`);
    for (const kind of Object.keys(damages)) {
      for (let at = 0; at < cases; at += 1) note(kind, at, await damageOne(root, bases, kind, seed, at));
    }
    for (const how of canMount(root) ? (["limit", "tmpfs"] as const) : (["limit"] as const)) {
      const kind = how === "limit" ? "full disk (file size limit)" : "full disk (small tmpfs)";
      for (let at = 0; at < (short ? 8 : 30); at += 1) note(kind, at, await fillDisk(root, seed, at, how));
    }
  } finally {
    rmSync(root, { recursive: true });
  }
  return report(table, seed, log);

  function note(kind: string, at: number, { verdict, detail }: Judgement): void {
    const counts = table.get(kind) ?? { loud: 0, harmless: 0, silent: 0, "wrong error": 0 };
    counts[verdict] += 1;
    table.set(kind, counts);
    if (verdict === "silent" || verdict === "wrong error") log(`${kind} ${at}: ${verdict}: ${detail}`);
  }
}

async function damageOne(root: string, bases: readonly Base[], kind: string, seed: number, at: number) {
  const random = seededRandom(seed, kind, at);
  const base = bases[Math.floor(random() * bases.length)]!;
  const dir = join(root, "case");
  cpSync(base.dir, dir, { recursive: true });
  try {
    damages[kind]!(dir, random, base);
    return await judgeJournal(dir, base.promised);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const sizes = (bases: readonly Base[]): string => bases.map(({ promised }) => promised.length).join(", ");

function report(table: Map<string, Counts>, seed: number, log: (line: string) => void): ProofResult {
  const total: Counts = { loud: 0, harmless: 0, silent: 0, "wrong error": 0 };
  const line = (kind: string, cells: readonly (string | number)[]) =>
    log(`${kind.padEnd(38)}${cells.map((cell) => String(cell).padStart(13)).join("")}`);
  const verdicts = ["loud", "harmless", "silent", "wrong error"] as const;
  line("damage", verdicts);
  for (const [kind, counts] of table) {
    line(
      kind,
      verdicts.map((verdict) => counts[verdict]),
    );
    for (const verdict of verdicts) total[verdict] += counts[verdict];
  }
  line(
    "all",
    verdicts.map((verdict) => total[verdict]),
  );
  const cases = total.loud + total.harmless + total.silent + total["wrong error"];
  const isHarmlessUntouched = table.get("untouched")?.loud === 0;
  return {
    ok: cases >= 1000 && total.silent === 0 && total["wrong error"] === 0 && isHarmlessUntouched,
    figures: {
      seed,
      cases,
      loud: total.loud,
      harmless: total.harmless,
      silent: total.silent,
      wrongErrors: total["wrong error"],
    },
  };
}
