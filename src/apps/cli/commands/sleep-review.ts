import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { WhetstoneError } from "../../../core/errors.ts";
import { type Decision, type Decisions, type Review, findRule } from "../../../core/proposal/review.ts";
import { diffProposal } from "../../../run/adopt/diff-proposal.ts";
import { adoptProposal, chooseRules } from "../../../run/sleep/proposals/adopt-proposal.ts";
import { nightRun } from "../../../run/sleep/proposals/proposal-folder.ts";
import {
  listProposals,
  openReview,
  rejectProposal,
  undoProposal,
} from "../../../run/sleep/proposals/proposals.ts";
import { plural } from "../show/format.ts";
import type { Io } from "../io.ts";
import { paintLine } from "./proposal-command.ts";
import { reviewLines } from "../show/review-lines.ts";
import { reviewTogether } from "../review-together.ts";

export interface PlaceFlags {
  readonly journalDir: string;
  /** The beginning of its id; by default the only one that fits. */
  readonly id?: string;
  readonly json: boolean;
}

export interface ReviewFlags extends PlaceFlags {
  /** Beginnings of ids of rules. */
  readonly accept: readonly string[];
  readonly drop: readonly string[];
  /** `<rule>=<file with its new text>` */
  readonly edit: readonly string[];
  /** `<rule>=<reason>` */
  readonly reject: readonly string[];
}

export interface AdoptFlags extends ReviewFlags {
  readonly unproven: boolean;
  readonly merge: boolean;
  /** Ids of powers. */
  readonly acknowledge: readonly string[];
  readonly branch?: string;
  readonly pullRequest: boolean;
}

/** `whetstone sleep review [id]` */
export async function reviewCommand(flags: ReviewFlags, io: Io): Promise<void> {
  const { journalDir, json } = flags;
  const waiting = listProposals(journalDir).filter(({ state }) => state === "staged");
  if (flags.id === undefined && waiting.length !== 1) {
    if (json) io.printJson(waiting);
    else io.print(waitingLines(waiting).join("\n"));
    return;
  }
  const review = findProposal(flags, waiting);
  const decisions = await readDecisions(review, flags, io);
  const { id } = review;
  const isOpen = review.state === "staged" || review.state === "rejected";
  if (decisions !== undefined) await chooseRules({ journalDir, id, decisions });
  else if (io.prompt !== undefined && !json && flags.reject.length === 0 && review.state === "staged")
    return reviewTogether({ journalDir, review }, io, io.prompt);
  const now = openReview(journalDir, id);
  const { diff, lines } = await diffProposal(nightRun(journalDir, id));
  if (json) return io.printJson({ ...now, diff });
  io.print([...reviewLines(now, io.columns), "", ...lines.map(paintLine)].join("\n"));
  if (isOpen)
    io.print(`\nNext: whetstone sleep adopt ${id}, or whetstone sleep review ${id} --help to choose`);
}

/** `whetstone sleep adopt [id]` */
export async function sleepAdoptCommand(flags: AdoptFlags, io: Io): Promise<void> {
  const { journalDir, json, unproven, merge, acknowledge, pullRequest } = flags;
  const review = findProposal(
    flags,
    listProposals(journalDir).filter(({ state }) => state === "staged"),
  );
  const decisions = await readDecisions(review, flags, io);
  const branch = flags.branch ?? (pullRequest ? `whetstone/${review.id}` : undefined);
  const { lines, ...adopted } = await adoptProposal({
    journalDir,
    id: review.id,
    decisions,
    unproven,
    merge,
    acknowledge,
    branch,
    pullRequest,
  });
  if (json) io.printJson(adopted);
  else io.print(lines.join("\n"));
}

/** `whetstone sleep reject [id]` */
export async function sleepRejectCommand(
  { rule, reason, ...flags }: PlaceFlags & { readonly rule?: string; readonly reason: string },
  io: Io,
): Promise<void> {
  const { journalDir, json } = flags;
  const { id } = findProposal(
    flags,
    listProposals(journalDir).filter(({ state }) => state === "staged"),
  );
  const review = await rejectProposal({ journalDir, id, rule, reason });
  if (json) return io.printJson(review);
  const what =
    rule === undefined ? `proposal ${id}` : `rule ${findRule(review, rule).id.slice(0, 8)} of proposal ${id}`;
  io.print(`Rejected ${what}: ${reason.trim()}\nThe next night is told, and proposes it no more.`);
}

/** `whetstone sleep undo [id]` */
export async function sleepUndoCommand(flags: PlaceFlags, io: Io): Promise<void> {
  const { journalDir, json } = flags;
  const adopted = listProposals(journalDir).filter(({ state }) => state === "adopted");
  const { id } = findProposal(flags, adopted.slice(-1));
  const { lines, ...undone } = await undoProposal({ journalDir, id });
  if (json) io.printJson(undone);
  else io.print(lines.join("\n"));
}

/** The named proposal, or the only one of those that are meant without a name. */
function findProposal({ journalDir, id }: PlaceFlags, meant: readonly Review[]): Review {
  const all = listProposals(journalDir);
  const exact = all.filter((review) => review.id === id);
  const named =
    id === undefined ? meant : exact.length > 0 ? exact : all.filter((review) => review.id.startsWith(id));
  const [only, second] = named;
  if (only === undefined) {
    throw new WhetstoneError(
      "not-found",
      id === undefined ? "There is no such proposal." : `No proposal begins with "${id}".`,
      {
        hint: "`whetstone sleep review` shows what waits; `whetstone sleep run` makes proposals.",
      },
    );
  }
  if (second === undefined) return only;
  throw new WhetstoneError(
    "usage",
    id === undefined ? `${named.length} proposals wait.` : `"${id}" fits ${named.length} proposals.`,
    {
      hint: `Name one: ${named.map((review) => review.id).join(", ")}.`,
    },
  );
}

/** Rejects what is to be rejected; the rest is what to choose, or undefined when nothing was said of it. */
async function readDecisions(review: Review, flags: ReviewFlags, io: Io): Promise<Decisions | undefined> {
  const { accept, drop, edit, reject, journalDir } = flags;
  const decisions: [string, Decision][] = [
    ...accept.map((rule): [string, Decision] => [findRule(review, rule).id, { deed: "accept" }]),
    ...drop.map((rule): [string, Decision] => [findRule(review, rule).id, { deed: "drop" }]),
    ...edit.map((pair): [string, Decision] => {
      const [rule, file] = splitPair(pair, "--edit <rule>=<file>");
      return [findRule(review, rule).id, { deed: "edit", text: readText(resolve(io.cwd, file)) }];
    }),
  ];
  const rejections = reject.map((pair) => splitPair(pair, "--reject <rule>=<reason>"));
  const names = [
    ...decisions.map(([rule]) => rule),
    ...rejections.map(([rule]) => findRule(review, rule).id),
  ];
  const twice = names.find((rule, at) => names.indexOf(rule) !== at);
  if (twice !== undefined) {
    throw new WhetstoneError("usage", `Rule ${twice.slice(0, 8)} is decided on twice.`, {
      hint: "Say one thing of it.",
    });
  }
  for (const [rule, reason] of rejections) await rejectProposal({ journalDir, id: review.id, rule, reason });
  return decisions.length === 0 ? undefined : Object.fromEntries(decisions);
}

function splitPair(pair: string, form: string): readonly [string, string] {
  const at = pair.indexOf("=");
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new WhetstoneError("usage", `"${pair}" is not of the form ${form}.`, {
    hint: "The rule is the beginning of its id.",
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new WhetstoneError("not-found", `${file} cannot be read.`, {
      cause,
      hint: "Name the file with the new text.",
    });
  }
}

function waitingLines(waiting: readonly Review[]): readonly string[] {
  if (waiting.length === 0) return ["No proposal waits. `whetstone sleep run` looks for something to learn."];
  return [
    `${plural(waiting.length, "proposal")} wait:`,
    ...waiting.map(
      ({ id, document, rules }) => `  ${id}  ${plural(rules.length, "rule")} for ${document.name}`,
    ),
    "",
    "Next: whetstone sleep review <id>",
  ];
}
