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
  /** Knows the skill's location; receipts and backups go there. */
  readonly journalDir: string;
}

/** `proposal.json`, a pure function of the run's results like the artifacts next to it. */
export const proposalArtifacts = (input: ProposalInput): Readonly<Record<"proposal.json", string>> => ({
  "proposal.json": `${JSON.stringify(makeProposal(input), null, 2)}\n`,
});

export interface OpenedProposal {
  readonly proposal: Proposal;
  readonly live: LiveSkill;
  /** The run's original and proposed bytes; null if there's no file. Bytes that differ from the proposal's are refused. */
  readonly original: (path: string) => Buffer | null;
  readonly proposed: (path: string) => Buffer | null;
  /** Set if this is part of a proposal. */
  readonly whole?: Proposal;
  /** Set if this is a text of the run other than the proposed one. */
  readonly other?: TextName;
}

export const openProposal = (run: FinishedRun): OpenedProposal =>
  openChange(run, readProposal(run.run, run.folder), "best_skill");

/** A text of a run other than the proposed one. It is never proven. */
export function openOther(run: FinishedRun, name: TextName): OpenedProposal {
  const { others = {}, rules = [], ...proposal } = readProposal(run.run, run.folder);
  const other = others[name];
  if (other?.isOffered !== true) {
    const sentence = other?.sentence ?? withoutOther[name];
    throw new WhetstoneError("not-found", `Run ${run.run} doesn't offer a ${otherWords[name]}. ${sentence}`, {
      hint: `\`whetstone diff ${run.run}\` shows what it proposes.`,
    });
  }
  const { files, kept, sentence } = other;
  // it contains lines of the rules, so what is known about those applies
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
  "one-shot": "It didn't measure one on test.",
  lean: "It proposes the lean text itself, or no rule was shown to help.",
  full: "It proposes the full text itself.",
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
    throw damaged(join(folder, "proposal.json"), "changes files other than the skill's only one");
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
      hint: "A run makes its proposal when it finishes; run the same `whetstone train` again to finish it.",
    });
  }
  const proposal = parseProposal(text);
  if (typeof proposal === "string") throw damaged(path, `isn't readable: ${proposal}`);
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
  throw damaged(places.at(-1) ?? name, "isn't what the run wrote");
}

const damaged = (path: string, what: string): WhetstoneError =>
  new WhetstoneError("proposal-damaged", `${path} ${what}.`, {
    hint: "Run the same `whetstone train` again: it rewrites its artifacts, and a finished run isn't paid for twice.",
  });
