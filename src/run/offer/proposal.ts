import { join } from "node:path";
import { hashBytes } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import {
  type TextName,
  type Proposal,
  type ProposalInput,
  asNotTested,
  makeProposal,
  otherFolder,
  parseProposal,
} from "../../core/offer/proposal.ts";
import type { LiveSkill } from "../../core/offer/receipt.ts";
import { readIfThere, readTarget } from "./live-skill.ts";

/** A finished run on this machine. */
export interface FinishedRun {
  readonly run: string;
  /** The folder of its artifacts. */
  readonly folder: string;
  /** Knows where the skill lives; receipts and backups go there. */
  readonly journalDir: string;
}

/** `proposal.json`, a pure function of the run's results like the artifacts beside it. */
export const proposalArtifacts = (input: ProposalInput): Readonly<Record<"proposal.json", string>> => ({
  "proposal.json": `${JSON.stringify(makeProposal(input), null, 2)}\n`,
});

export interface OpenedProposal {
  readonly proposal: Proposal;
  readonly live: LiveSkill;
  /** What the run was started from, and what it proposes; null where there is no file. Bytes that are not the proposal's are refused. */
  readonly original: (path: string) => Buffer | null;
  readonly proposed: (path: string) => Buffer | null;
  /** Set where this is a part of a proposal. */
  readonly whole?: Proposal;
  /** Set if this is another text of a run than the one it proposes. */
  readonly other?: TextName;
}

export const openProposal = (run: FinishedRun): OpenedProposal =>
  openChange(run, readProposal(run.run, run.folder), "best_skill");

/** Another text of a run than the one it proposes. It is never proven. */
export function openOther(run: FinishedRun, name: TextName): OpenedProposal {
  const { others = {}, rules = [], ...proposal } = readProposal(run.run, run.folder);
  const other = others[name];
  if (other?.isOffered !== true) {
    const sentence = other?.sentence ?? withoutOther[name];
    throw new WhetstoneError("not-found", `Run ${run.run} offers no ${otherWords[name]}. ${sentence}`, {
      hint: `\`whetstone diff ${run.run}\` shows what it proposes.`,
    });
  }
  const { files, kept, sentence } = other;
  // it has lines of the rules, and what is known of those
  const looked = [...rules.flatMap((rule) => rule.looked ?? []), ...(proposal.looked ?? [])];
  const change = { ...asNotTested(proposal, sentence), files, kept, looked };
  return { ...openChange(run, change, otherFolder(name)), other: name };
}

/** Words for people. */
export const otherWords: Readonly<Record<TextName, string>> = {
  "one-shot": "one-shot rewrite",
  lean: "lean text",
  full: "full text",
};

const withoutOther: Readonly<Record<TextName, string>> = {
  "one-shot": "It measured none on test.",
  lean: "It proposes the lean text, or no rule's help is shown.",
  full: "It proposes the full text.",
};

function openChange(
  { run, folder, journalDir }: FinishedRun,
  proposal: Proposal,
  name: string,
): OpenedProposal {
  const live = readTarget(journalDir, run);
  const proposed = new Map(proposal.files.map((file) => [file.path, file.proposed]));
  const original = new Map([
    ...proposal.files.map((file) => [file.path, file.live] as const),
    ...proposal.kept.map(({ path, hash }) => [path, hash] as const),
  ]);
  if (live.kind === "file" && proposal.files.some(({ path }) => path !== proposal.main))
    throw damaged(join(folder, "proposal.json"), "changes other files than the skill's only one");
  const read = (from: string, path: string, hash: string | null | undefined): Buffer | null =>
    hash == null ? null : readExported(join(folder, from), path, path === proposal.main, hash);
  return {
    proposal,
    live,
    original: (path) => read("skills/skill_v0000", path, original.get(path)),
    proposed: (path) => read(name, path, proposed.get(path)),
  };
}

/** The manifest of what a run proposes. */
export function readProposal(run: string, folder: string): Proposal {
  const path = join(folder, "proposal.json");
  const text = readIfThere(path)?.toString();
  if (text === undefined) {
    throw new WhetstoneError("not-found", `Run ${run} has no proposal in ${folder}.`, {
      hint: "A run proposes something when it has finished; start the same `whetstone train` again to finish it.",
    });
  }
  const proposal = parseProposal(text);
  if (typeof proposal === "string") throw damaged(path, `is not readable: ${proposal}`);
  if (proposal.run !== run) throw damaged(path, `belongs to run ${proposal.run}, not to ${run}`);
  return proposal;
}

/** A skill of one file was exported as a file, one of several as a folder. */
function readExported(name: string, path: string, isMain: boolean, hash: string): Buffer {
  const places = [join(name, path), ...(isMain ? [`${name}.md`] : [])];
  for (const place of places) {
    const bytes = readIfThere(place);
    if (bytes !== undefined && hashBytes(bytes) === hash) return bytes;
  }
  throw damaged(places.at(-1) ?? name, "is not what the run wrote");
}

const damaged = (path: string, what: string): WhetstoneError =>
  new WhetstoneError("proposal-damaged", `${path} ${what}.`, {
    hint: "Start the same `whetstone train` again: it writes its artifacts anew, and a finished run is not paid twice.",
  });
