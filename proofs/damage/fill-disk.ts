import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../src/testing/index.ts";
import { type Judgement, judgeJournal } from "./judge-journal.ts";
import { readManifest, runWriter } from "./run-writer.ts";

/** A writer meets a full disk: it must say so, and what it was promised must be there afterwards. */
export async function fillDisk(
  root: string,
  seed: number,
  at: number,
  how: "limit" | "tmpfs",
): Promise<Judgement> {
  const random = seededRandom(seed, "full disk", how, at);
  const home = join(root, "full");
  const [disk, manifest, copy] = [join(home, "disk"), join(home, "manifest"), join(home, "copy")];
  mkdirSync(disk, { recursive: true });
  writeFileSync(manifest, "");
  const kilobytes = 120 + Math.floor(random() * 900);
  if (how === "tmpfs") mount(disk, kilobytes);
  try {
    const dir = join(disk, "journal");
    const writer = { dir, manifest, seed: `${seed} full ${how} ${at}`, rows: 20_000 };
    const error = await runWriter(how === "limit" ? { ...writer, fileBlocks: kilobytes } : writer);
    if (error !== "journal-write")
      return { verdict: "silent", detail: `the writer ended with ${error ?? "no error"}` };
    const promised = readManifest(manifest);
    if (!existsSync(join(dir, "journal.db"))) {
      return promised.length === 0
        ? { verdict: "loud", detail: "" }
        : { verdict: "silent", detail: "nothing is left of what was promised" };
    }
    // on a disk with space again
    cpSync(dir, copy, { recursive: true });
    const after = await judgeJournal(copy, promised);
    return after.verdict === "harmless"
      ? { verdict: "loud", detail: "" }
      : { ...after, verdict: worse(after) };
  } finally {
    if (how === "tmpfs") execFileSync("umount", [disk]);
    rmSync(home, { recursive: true });
  }
}

/** Whether this machine lets us make a small disk. */
export function canMount(root: string): boolean {
  const disk = join(root, "probe");
  mkdirSync(disk);
  try {
    mount(disk, 64);
    execFileSync("umount", [disk]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(disk, { recursive: true });
  }
}

const mount = (disk: string, kilobytes: number): void => {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", disk], { stdio: "ignore" });
};

// a full disk is no excuse for a journal that cannot be opened afterwards
const worse = ({ verdict }: Judgement) => (verdict === "loud" ? "wrong error" : verdict);
