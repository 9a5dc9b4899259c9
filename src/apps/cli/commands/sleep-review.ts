import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { WhetstoneError } from "../../../core/errors.ts";
import { type Review, findRule, waitingRules } from "../../../core/offer/review.ts";
import { type ProjectOptions, projectPlace } from "../../../run/project-options.ts";
import { type AdoptOptions, adopt, undo } from "../../../run/offer/proposals.ts";
import { type RuleChoices, findReview, review } from "../../../run/offer/review.ts";
import { rejectRule } from "../../../run/offer/decide-on-proposal.ts";
import { decidedAt } from "../../../run/offer/proposal-folder.ts";
import { listProposals, listWaiting, rejectProposal } from "../../../run/offer/offers.ts";
import { plural } from "../../../show/format.ts";
import type { Io } from "../../../show/io.ts";
import { paintLine } from "./proposal-command.ts";
import { reviewLines } from "../../../show/review-lines.ts";
import { reviewTogether } from "../review-together.ts";

export interface PlaceFlags extends ProjectOptions {
  /** The beginning of its id; by default the only one that fits. */
  readonly run?: string;
  readonly json: boolean;
}

export interface ReviewFlags extends PlaceFlags, Pick<RuleChoices, "accept" | "drop"> {
  /** `<rule>=<file with its new text>` */
  readonly edit: readonly string[];
  /** `<rule>=<id of a wish>` */
  readonly same: readonly string[];
  /** `<rule>=<reason>` */
  readonly reject: readonly string[];
}

export interface AdoptFlags
  extends ReviewFlags,
    Pick<AdoptOptions, "unproven" | "merge" | "acknowledge" | "branch" | "pullRequest"> {}

/** `whetstone sleep review [id]` */
export async function reviewCommand({ json, ...flags }: ReviewFlags, io: Io): Promise<void> {
  const { cwd, journal, run } = flags;
  const choices = readChoices(flags, io);
  const isAsked = Object.values(choices).every((said) => Object.keys(said).length === 0);
  const found = await review({ cwd, journal, run, ...choices });
  const { waiting, review: now, diff } = found;
  if (now === undefined || diff === undefined) {
    if (json) io.printJson(waiting);
    else io.print(waitingLines(waiting).join("\n"));
    return;
  }
  if (isAsked && io.prompt !== undefined && !json && now.state === "staged")
    return reviewTogether({ journalDir: projectPlace(flags).journalDir, review: now }, io, io.prompt);
  if (json) return io.printJson({ ...now, diff: diff.diff });
  io.print([...reviewLines(now, io.columns), "", ...diff.lines.map(paintLine)].join("\n"));
  const { id, state } = now;
  if (state === "staged" || state === "rejected")
    io.print(`\nNext: whetstone sleep adopt ${id}, or whetstone sleep review ${id} --help to choose`);
}

/** `whetstone sleep adopt [id]` */
export async function sleepAdoptCommand({ json, ...flags }: AdoptFlags, io: Io): Promise<void> {
  const { id } = findStaged(flags);
  const { lines, ...adopted } = await adopt({ ...flags, ...readChoices(flags, io), run: id });
  if (json) io.printJson(adopted);
  else io.print(lines.join("\n"));
}

/** `whetstone sleep reject [id]` */
export async function sleepRejectCommand(
  { rule, reason, json, ...flags }: PlaceFlags & { readonly rule?: string; readonly reason: string },
  io: Io,
): Promise<void> {
  const { id } = findStaged(flags);
  const { journalDir } = projectPlace(flags);
  const rejected =
    rule === undefined
      ? await rejectProposal({ journalDir, id, reason })
      : await rejectRule({ journalDir, id, rule, reason });
  if (json) return io.printJson(rejected);
  const what =
    rule === undefined
      ? `proposal ${id}`
      : `rule ${findRule(rejected, rule).id.slice(0, 8)} of proposal ${id}`;
  io.print(`Rejected ${what}: ${reason.trim()}\nIt is proposed no more, however it is worded.`);
}

/** `whetstone sleep undo [id]` */
export async function sleepUndoCommand({ json, ...flags }: PlaceFlags, io: Io): Promise<void> {
  const { journalDir } = projectPlace(flags);
  const adopted = listProposals(journalDir)
    .filter(({ state }) => state === "adopted")
    .toSorted((a, b) => decidedAt(journalDir, a) - decidedAt(journalDir, b));
  const { id } = findReview(journalDir, flags.run, adopted.slice(-1), "No proposal is adopted.");
  const { lines, ...undone } = await undo({ ...flags, run: id });
  if (json) io.printJson(undone);
  else io.print(lines.join("\n"));
}

function findStaged(flags: Omit<PlaceFlags, "json">): Review {
  const { journalDir } = projectPlace(flags);
  return findReview(journalDir, flags.run, listWaiting(journalDir));
}

/** What flags say of single rules. */
function readChoices(
  { accept = [], drop = [], edit, same, reject }: Omit<ReviewFlags, "json">,
  io: Io,
): Required<RuleChoices> {
  const edits = edit.map((pair) => {
    const [rule, file] = splitPair(pair, "--edit <rule>=<file>");
    return [rule, readText(resolve(io.cwd, file))] as const;
  });
  const rejections = reject.map((pair) => splitPair(pair, "--reject <rule>=<reason>"));
  const merges = same.map((pair) => splitPair(pair, "--same <rule>=<wish>"));
  const twice = [edits, merges, rejections].flatMap((pairs) =>
    pairs.filter(([rule], at) => pairs.findIndex(([other]) => other === rule) !== at),
  );
  for (const [rule] of twice)
    throw new WhetstoneError("usage", `Rule ${rule} is decided on twice.`, { hint: "Say one thing of it." });
  return {
    accept,
    drop,
    edit: Object.fromEntries(edits),
    same: Object.fromEntries(merges),
    reject: Object.fromEntries(rejections),
  };
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
      (one) => `  ${one.id}  ${plural(waitingRules(one).length, "rule")} for ${one.document.name}`,
    ),
    "",
    "Next: whetstone sleep review <id>",
  ];
}
