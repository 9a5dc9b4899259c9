import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { WhetstoneError } from "../../../core/errors.ts";
import { type Review, waitingRules } from "../../../core/offer/review.ts";
import { type RuleChoices, rejectProposal } from "../../../run/offer/choose.ts";
import {
  type AdoptOptions,
  type ProposalOptions,
  type TextChoice,
  adopt,
  diff,
  findOffer,
  findWaiting,
  review,
  undo,
} from "../../../run/offer/proposals.ts";
import { plural, paintLine } from "../../../show/format.ts";
import type { Io } from "../../../show/io.ts";
import { reviewLines } from "../../../show/review-lines.ts";
import { reviewTogether } from "../review-together.ts";

export interface OfferFlags extends ProposalOptions {
  readonly json: boolean;
}

/** Decisions on single rules, as typed. */
export interface ChoiceFlags extends Pick<RuleChoices, "accept" | "drop"> {
  /** `<rule>=<file with its new text>` */
  readonly edit?: readonly string[];
  /** `<rule>=<the other rule or wish>` */
  readonly same?: readonly string[];
  /** `<rule>=<reason>` */
  readonly reject?: readonly string[];
}

/** The chosen text of the run, as typed. */
export interface TextFlags {
  readonly oneShot?: boolean;
  readonly lean?: boolean;
  readonly full?: boolean;
}

const textOf = ({ oneShot, lean, full }: TextFlags): TextChoice["text"] =>
  oneShot ? "one-shot" : lean ? "lean" : full ? "full" : undefined;

/** `whetstone diff [run]` */
export async function diffCommand(
  { json, ...flags }: OfferFlags & ChoiceFlags & TextFlags,
  io: Io,
): Promise<void> {
  const { lines, ...found } = await diff({
    ...placeOf(flags),
    ...typedChoices(flags, io),
    text: textOf(flags),
  });
  if (json) io.printJson(found);
  else io.print(lines.map(paintLine).join("\n"));
}

/** `whetstone review [run]` */
export async function reviewCommand({ json, ...flags }: OfferFlags & ChoiceFlags, io: Io): Promise<void> {
  const choices = typedChoices(flags, io);
  const isAsked = Object.values(choices).every((said) => Object.keys(said).length === 0);
  const { waiting, review: now, diff: change } = await review({ ...placeOf(flags), ...choices });
  if (now === undefined || change === undefined) {
    if (json) io.printJson(waiting);
    else io.print(waitingLines(waiting).join("\n"));
    return;
  }
  const { id, state, rules } = now;
  if (isAsked && io.prompt !== undefined && !json && state === "staged" && rules.length > 0)
    return reviewTogether(await findOffer({ ...placeOf(flags), run: id }), now, io, io.prompt);
  if (json) return io.printJson({ ...now, diff: change.diff });
  io.print([...reviewLines(now, io.columns), "", ...change.lines.map(paintLine)].join("\n"));
  if (state === "staged")
    io.print(
      `\nNext: ${await adoptStep({ ...placeOf(flags), run: id })}, or whetstone review ${id} --help to choose rules`,
    );
}

/** The command that adopts it, with the flags it needs, or the next step of the refusal. */
async function adoptStep(offer: ProposalOptions & { readonly run: string }, flags = ""): Promise<string> {
  const command = `whetstone adopt ${offer.run}`;
  try {
    await adopt({ ...offer, unproven: flags !== "", merge: flags.includes("--merge"), check: true });
    return command + flags;
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    if (error.code === "unproven" && flags === "") return adoptStep(offer, " --unproven");
    if (error.code === "live-changed" && !flags.includes("--merge"))
      return adoptStep(offer, " --unproven --merge");
    return error.hint?.replace(/\.$/, "").replaceAll(command, command + flags) ?? "";
  }
}

/** `whetstone adopt [run]` */
export async function adoptCommand(
  { json, ...flags }: OfferFlags & ChoiceFlags & TextFlags & Omit<AdoptOptions, keyof RuleChoices>,
  io: Io,
): Promise<void> {
  const { lines, ...adopted } = await adopt({ ...flags, ...typedChoices(flags, io), text: textOf(flags) });
  if (json) return io.printJson(adopted);
  io.print(lines.join("\n"));
  const { acknowledge, unproven, merge } = flags;
  // a wish is one decision: the same rules go into the other files that the night proposed them for
  for (const { run } of adopted.alsoFor ?? [])
    io.print((await adopt({ ...placeOf(flags), run, acknowledge, unproven, merge })).lines.join("\n"));
}

/** `whetstone reject [run]` */
export async function rejectCommand(
  { rule, reason, json, ...flags }: OfferFlags & { readonly rule?: string; readonly reason: string },
  io: Io,
): Promise<void> {
  const found = await findWaiting(placeOf(flags));
  const rejected =
    rule === undefined
      ? await rejectProposal(found, reason)
      : (await review({ ...placeOf(flags), run: found.run, reject: { [rule]: reason } })).review;
  if (json) return io.printJson(rejected);
  const what = rule === undefined ? "" : `rule ${rule} of `;
  io.print(
    `Rejected ${what}proposal ${found.run}: ${reason.trim()}\nLater proposals for this file leave out the same wording; nights also leave out other wordings of it.`,
  );
}

/** `whetstone undo [run]` */
export async function undoCommand({ json, ...flags }: OfferFlags, io: Io): Promise<void> {
  const { lines, ...undone } = await undo(placeOf(flags));
  if (json) io.printJson(undone);
  else io.print(lines.join("\n"));
}

const placeOf = ({ cwd, journal, run }: ProposalOptions): ProposalOptions => ({
  ...(cwd === undefined ? {} : { cwd }),
  ...(journal === undefined ? {} : { journal }),
  ...(run === undefined ? {} : { run }),
});

/** The decisions given as flags. */
function typedChoices(
  { accept = [], drop = [], edit = [], same = [], reject = [] }: ChoiceFlags,
  io: Io,
): Required<RuleChoices> {
  const edits = edit.map((pair) => {
    const [rule, file] = splitPair(pair, "--edit <rule>=<file>");
    return [rule, readText(resolve(io.cwd, file))] as const;
  });
  const rejections = reject.map((pair) => splitPair(pair, "--reject <rule>=<reason>"));
  const merges = same.map((pair) => splitPair(pair, "--same <rule>=<other>"));
  const twice = [edits, merges, rejections].flatMap((pairs) =>
    pairs.filter(([rule], at) => pairs.findIndex(([other]) => other === rule) !== at),
  );
  for (const [rule] of twice)
    throw new WhetstoneError("usage", `You decided on rule ${rule} twice.`, { hint: "Keep one decision." });
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
  throw new WhetstoneError("usage", `"${pair}" isn't of the form ${form}.`, {
    hint: "For the rule, give its id or the beginning of it.",
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new WhetstoneError("not-found", `${file} can't be read.`, {
      cause,
      hint: "Name the file with the new text.",
    });
  }
}

function waitingLines(waiting: readonly Review[]): readonly string[] {
  if (waiting.length === 0)
    return [
      "No proposals are waiting. `whetstone train`, `whetstone prune` and `whetstone sleep run` make some; `whetstone review <run>` shows an older one.",
    ];
  return [
    `${plural(waiting.length, "proposal")} waiting:`,
    ...waiting.map(
      (one) => `  ${one.id}  ${plural(waitingRules(one).length, "rule")} for ${one.document.name}`,
    ),
    "",
    "Next: whetstone review <id>",
  ];
}
