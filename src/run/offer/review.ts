import { WhetstoneError } from "../../core/errors.ts";
import {
  type Decision,
  type Decisions,
  type Review,
  type ReviewRule,
  findRule,
} from "../../core/offer/review.ts";
import type { RuleChoice } from "../../core/rules/choose-part.ts";
import { type ProposalDiff, diffProposal } from "./diff-proposal.ts";
import { type ProjectOptions, projectPlace } from "../project-options.ts";
import { decideOnProposal, rejectRule } from "./decide-on-proposal.ts";
import { nightRun } from "./proposal-folder.ts";
import { listProposals, listWaiting, openReview } from "./offers.ts";

/** What a person says of single rules of a proposal, each by the beginning of its id; those of a training have numbers. */
export interface RuleChoices extends RuleChoice {
  /** Of a night's proposal: the new text by rule. */
  readonly edit?: Readonly<Record<string, string>>;
  /** Of a night's proposal: the id of the wish that it is one with, by rule. */
  readonly same?: Readonly<Record<string, string>>;
  /** Of a night's proposal: the reason by rule; no wording of it is proposed again. */
  readonly reject?: Readonly<Record<string, string>>;
}

export interface ReviewOptions extends ProjectOptions, RuleChoices {
  /** The beginning of the id of a night's proposal. @default the only one that waits */
  readonly run?: string;
}

/** What nights have put before a person. */
export interface Reviewed {
  /** Every proposal that waits, the oldest first. */
  readonly waiting: readonly Review[];
  /** The proposal that was asked for, as it stands after the choices; missing where none was named and not just one waits. */
  readonly review?: Review;
  /** What adopting it would change. */
  readonly diff?: ProposalDiff;
}

/**
 * Shows what nights propose, and keeps what a person chooses of it. Nothing live changes: `adopt` is another step.
 *
 * @example
 * const { waiting } = await review();
 * for (const { id, rules } of waiting) console.log(id, rules.map(({ label }) => label));
 * await review({ run: waiting[0]?.id, drop: ["a41c"] });
 */
export async function review(options: ReviewOptions = {}): Promise<Reviewed> {
  const { journalDir } = projectPlace(options);
  const waiting = listWaiting(journalDir);
  const hasChoices = [options.accept, options.drop, options.edit, options.same, options.reject].some(
    (choice) => choice !== undefined && Object.keys(choice).length > 0,
  );
  if (options.run === undefined && waiting.length !== 1 && !hasChoices) return { waiting };
  const { id } = findReview(journalDir, options.run, waiting);
  const decisions = await decideRules(journalDir, id, options);
  if (decisions !== undefined) await decideOnProposal({ journalDir, id, decisions });
  return {
    waiting: listWaiting(journalDir),
    review: openReview(journalDir, id),
    diff: await diffProposal(nightRun(journalDir, id)),
  };
}

/** The named proposal, or the only one of those that are meant without a name. */
export function findReview(
  journalDir: string,
  id: string | undefined,
  meant: readonly Review[],
  none = "No proposal waits for you.",
): Review {
  const all = listProposals(journalDir);
  const exact = all.filter((each) => each.id === id);
  const named =
    id === undefined ? meant : exact.length > 0 ? exact : all.filter((each) => each.id.startsWith(id));
  const [only, second] = named;
  if (only === undefined) {
    throw new WhetstoneError("not-found", id === undefined ? none : `No proposal begins with "${id}".`, {
      hint: "`whetstone sleep review` shows what waits; `whetstone sleep run` makes proposals.",
    });
  }
  if (second === undefined) return only;
  throw new WhetstoneError(
    "usage",
    id === undefined ? `${named.length} proposals wait.` : `"${id}" fits ${named.length} proposals.`,
    { hint: `Name one: ${named.map((each) => each.id).join(", ")}.` },
  );
}

/** Rejects what is to be rejected; the rest is what to choose, or undefined when nothing was said of it. */
export async function decideRules(
  journalDir: string,
  id: string,
  { accept = [], drop = [], edit = {}, same = {}, reject = {} }: RuleChoices,
): Promise<Decisions | undefined> {
  const found = openReview(journalDir, id);
  const ruleOf = (name: string) => findRule(found, name).id;
  const wishOf = (name: string, as: string) => findSameWish(findRule(found, name), as);
  const decisions: readonly (readonly [string, Decision])[] = [
    ...accept.map((name) => [ruleOf(name), { deed: "accept" }] as const),
    ...drop.map((name) => [ruleOf(name), { deed: "drop" }] as const),
    ...Object.entries(edit).map(([name, text]) => [ruleOf(name), { deed: "edit", text }] as const),
    ...Object.entries(same).map(
      ([name, as]) => [ruleOf(name), { deed: "same", as: wishOf(name, as) }] as const,
    ),
  ];
  const rejections = Object.entries(reject).map(([name, reason]) => [ruleOf(name), reason] as const);
  const named = [...decisions, ...rejections].map(([rule]) => rule);
  const twice = named.find((rule, at) => named.indexOf(rule) !== at);
  if (twice !== undefined) {
    throw new WhetstoneError("usage", `Rule ${twice.slice(0, 8)} is decided on twice.`, {
      hint: "Say one thing of it.",
    });
  }
  for (const [rule, reason] of rejections) await rejectRule({ journalDir, id, rule, reason });
  return decisions.length === 0 ? undefined : Object.fromEntries(decisions);
}

/** The wish that a rule may be one with, of those that a night has named. */
function findSameWish({ id, wish }: ReviewRule, as: string): string {
  const named = wish?.sameAs.find((one) => one.wish.startsWith(as));
  if (named !== undefined && as !== "") return named.wish;
  throw new WhetstoneError("not-found", `No night has taken rule ${id.slice(0, 8)} for the wish "${as}".`, {
    hint:
      wish === undefined || wish.sameAs.length === 0
        ? "Only what a night takes for the same can be made one; drop or reject the rule instead."
        : `It may be one with ${wish.sameAs.map((one) => one.wish).join(" or ")}.`,
  });
}
