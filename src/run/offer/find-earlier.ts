import type { Resolved } from "../../config/resolve/resolved.ts";
import { hashBytes } from "../../core/canonical.ts";
import { decodeFile, encodeFile } from "../../core/files.ts";
import type { Journal } from "../../core/ports/journal.ts";
import type { Receipt } from "../../core/offer/receipt.ts";
import type { EarlierSkill } from "../../core/rules/prune/prune.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { listRuns } from "../reports/runs.ts";
import { locateSkill } from "./live-skill.ts";
import { readBackup, readReceipts } from "./receipts.ts";

/**
 * The skill before the latest unbroken series of adopted prunings; undefined if the latest change was something else. A margin
 * starts at a text that a person wrote or adopted by a claim, so a change by hand starts a new one.
 */
export async function findEarlier(
  { skill, skillPath, journalDir }: Pick<Resolved, "skill" | "skillPath" | "journalDir">,
  journal: Journal,
): Promise<EarlierSkill | undefined> {
  const live = locateSkill(skillPath);
  const receipts = live === undefined ? [] : readReceipts(journalDir, live);
  const adopted = receipts.filter(({ phase }) => phase === "adopted").toReversed();
  if (adopted.length === 0) return undefined;
  const runs = await listRuns(journal);
  const isPruning = ({ run, verdict }: Receipt) =>
    verdict === "not-worse" ||
    verdict === "no-loss" ||
    runs.some((one) => one.run === run && one.command === "prune");
  let [before, prunings] = [skill, 0];
  for (const receipt of adopted) {
    if (!isPruning(receipt) || !isLeftBy(receipt, before)) break;
    before = takeBack(receipt, before, journalDir);
    prunings += 1;
  }
  return prunings === 0 ? undefined : { skill: before, prunings };
}

/** Whether the adoption's files are unchanged since. */
const isLeftBy = ({ files }: Receipt, skill: Skill): boolean =>
  files.every(({ path, after }) => {
    const content = skill.files[path];
    return (content === undefined ? null : hashBytes(decodeFile(content))) === after;
  });

function takeBack(receipt: Receipt, skill: Skill, journalDir: string): Skill {
  const files = { ...skill.files };
  for (const file of receipt.files) {
    if (file.before === null) delete files[file.path];
    else files[file.path] = encodeFile(readBackup(receipt, file, "before", file.before, journalDir));
  }
  return { ...skill, files };
}
