import { WhetstoneError } from "../../core/errors.ts";
import { decodeFile, encodeFile } from "../../core/files.ts";
import { asNotTested, makeProposal } from "../../core/offer/proposal.ts";
import { type RuleChoice, choosePart } from "../../core/rules/choose-part.ts";
import { subsetSentence } from "../../core/verdict-words.ts";
import type { OpenedProposal } from "./proposal.ts";
import { receiptOf } from "./receipts.ts";

/**
 * The same proposal with a part of its rules. Its bytes are other ones than those that were sealed, so it is not proven by
 * itself, and says so.
 */
export function takeRules(opened: OpenedProposal, choice: RuleChoice = {}): OpenedProposal {
  if (choice.accept === undefined && choice.drop === undefined) return opened;
  const { proposal, live, original } = opened;
  const { run, main, rules, verdict } = proposal;
  if (rules === undefined) {
    throw new WhetstoneError("usage", `The rules of ${run} cannot be taken one by one.`, {
      hint: "Only what `gate: rules` trained can; take over by hand what you want. Of a night's proposal, `whetstone sleep review` takes single rules.",
    });
  }
  const base = { main, files: originalFiles(opened) };
  const chosen = choosePart(base, rules, choice);
  const isHeld = (rule: number) => chosen.held.includes(rule);
  if (rules.kept.every(({ number }) => isHeld(number))) return opened;
  if (chosen.held.length === 0) {
    throw new WhetstoneError("usage", `No rule of run ${run} is left, so there is nothing to adopt.`, {
      hint: `Its rules are ${rules.kept.map(({ number }) => number).join(", ")}.`,
    });
  }
  const { files, kept } = makeProposal({ run, original: base, best: chosen.skill });
  const isSealed = verdict !== "not-tested";
  return {
    live,
    original,
    proposed: (path) => bytesOf(chosen.skill.files[path]),
    whole: proposal,
    proposal: {
      ...asNotTested(proposal, subsetSentence(chosen, { kept: rules.kept.length, isSealed })),
      files,
      kept,
      rules: {
        table: { ...rules.table, rules: rules.table.rules.filter(({ rule }) => isHeld(rule)) },
        kept: rules.kept.filter(({ number }) => isHeld(number)),
      },
    },
  };
}

/** The part of a proposal that a person adopted last, where a receipt names its rules; otherwise the whole. */
export function asAdopted(opened: OpenedProposal, journalDir: string): OpenedProposal {
  const { proposal, live } = opened;
  if (proposal.rules === undefined) return opened;
  const receipt = receiptOf(proposal.run, live, journalDir);
  if (receipt?.phase !== "adopted" || receipt.rules === undefined) return opened;
  return takeRules(opened, { accept: receipt.rules.map(({ id }) => id) });
}

const originalFiles = ({ proposal, original }: OpenedProposal): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...proposal.files, ...proposal.kept].flatMap(({ path }) => {
      const bytes = original(path);
      return bytes === null ? [] : [[path, encodeFile(bytes)]];
    }),
  );

const bytesOf = (content: string | undefined): Buffer | null =>
  content === undefined ? null : Buffer.from(decodeFile(content));
