import { WhetstoneError } from "../../core/errors.ts";
import type { LiveSkill, Receipt } from "../../core/offer/receipt.ts";
import { describeRecovery, shortHash } from "./adopt.ts";
import { livePath, readLive, readTarget } from "./live-skill.ts";
import { holdingLive } from "./live-target.ts";
import type { FinishedRun } from "./proposal.ts";
import {
  type ReceiptStore,
  type StoreOptions,
  backupFolder,
  guardWrites,
  readReceipts,
  receiptOf,
  receiptStore,
  recover,
  settle,
  writeReceipt,
} from "./receipts.ts";

/** The result of undoing; `lines` is for people. */
export interface Undone {
  readonly kind: "undone" | "already-undone";
  readonly receipt: Receipt;
  readonly lines: readonly string[];
}

/** Restores the exact bytes from before a proposal was adopted: all of them or none, even if the process is killed. */
export async function undoOffer(
  run: Omit<FinishedRun, "folder">,
  options: StoreOptions = {},
): Promise<Undone> {
  const store = receiptStore(run.journalDir, options);
  const live = readTarget(run.journalDir, run.run);
  return holdingLive(run.journalDir, live, () => {
    const finished = recover(live, store).map((receipt) => describeRecovery(receipt));
    const receipt = lastReceipt(run, live);
    if (receipt.phase === "undone") {
      const lines = [...finished, `Run ${run.run} is already undone: ${live.path} stays as it is.`];
      return { kind: "already-undone", receipt, lines };
    }
    refuseChanged(receipt, store);
    const undone = settle(
      guardWrites({ live }, () => writeReceipt(receipt, "undoing", store)),
      store,
    );
    return { kind: "undone", receipt: undone, lines: [...finished, ...describe(undone, store)] };
  });
}

function lastReceipt({ run, journalDir }: Omit<FinishedRun, "folder">, live: LiveSkill): Receipt {
  const receipt = receiptOf(run, live, journalDir);
  if (receipt !== undefined) return receipt;
  throw new WhetstoneError("not-found", `Run ${run} wasn't adopted into ${live.path}.`, {
    hint: `There's nothing to undo. \`whetstone diff ${run}\` shows what it proposes.`,
  });
}

function refuseChanged(receipt: Receipt, { journalDir }: ReceiptStore): void {
  const changed = receipt.files.filter(
    ({ path, after }) => (readLive(receipt.live, path)?.hash ?? null) !== after,
  );
  if (changed.length === 0) return;
  const later = readReceipts(journalDir, receipt.live).findLast(
    ({ id, phase }) => id > receipt.id && phase === "adopted",
  );
  throw new WhetstoneError(
    "live-changed",
    `Since run ${receipt.run} was adopted, ${changed.map(({ path }) => livePath(receipt.live, path)).join(", ")} changed.`,
    {
      hint:
        later === undefined
          ? `Nothing was changed. The earlier bytes are in ${backupFolder(journalDir, receipt.id)}; if the skill is in git, \`git log -p\` and \`git restore\` bring them back without losing later work.`
          : `Run ${later.run} was adopted after it, so run \`whetstone undo ${later.run}\` first.`,
    },
  );
}

function describe({ run, live, files }: Receipt, { journalDir }: ReceiptStore): readonly string[] {
  const isLeft = receiptOf(run, live, journalDir)?.phase === "adopted";
  return [
    isLeft
      ? `Undid the last adoption of run ${run}: ${live.path} has the bytes from before that one. An earlier adoption is still in force; \`whetstone undo ${run}\` undoes it too.`
      : `Undid run ${run}: ${live.path} has the bytes from before it.`,
    ...files.map(({ path, before, after }) => `  ${path}: ${shortHash(after)} → ${shortHash(before)}`),
  ];
}
