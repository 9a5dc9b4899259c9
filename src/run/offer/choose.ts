import { isTaken, shortId } from "../../core/rules/rule-words.ts";
import { decodeFile, encodeFile } from "../../core/files.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { composeRules } from "../../core/offer/compose-rules.ts";
import { asNotTested, makeProposal } from "../../core/offer/proposal.ts";
import {
  type Chosen,
  type Decisions,
  type Review,
  decide,
  decisionsIn,
  findRule,
  isUnproven,
  withDecisions,
  leftOutText,
} from "../../core/offer/review.ts";
import type { Decision, Rule } from "../../core/rules/rule.ts";
import { expectedScore } from "../../core/rules/searched-rules.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { subsetSentence } from "../../core/verdict-words.ts";
import { readDecided, writeDecided } from "./decided.ts";
import { readTarget } from "./live-skill.ts";
import { holdingProposal, openReview } from "./offers.ts";
import { type FinishedRun, type OpenedProposal, openProposal } from "./proposal.ts";
import { refuseInterrupted } from "./receipts.ts";

/** Decisions on single rules of a proposal. Each rule is named by its id or the beginning of it. */
export interface RuleChoices {
  /** Takes these, plus any edited ones. @default every rule without a reason against it */
  readonly accept?: readonly string[];
  /** Leaves these out; they may be offered again. */
  readonly drop?: readonly string[];
  /** Takes these with other words: the new text by rule. */
  readonly edit?: Readonly<Record<string, string>>;
  /** Leaves these out as the same as another rule of the proposal, or a wish it names: that one's id by rule. */
  readonly same?: Readonly<Record<string, string>>;
  /** Leaves these out for good, also from later proposals: the reason by rule. */
  readonly reject?: Readonly<Record<string, string>>;
}

/** The choices as decisions. An unknown rule, or one named twice, is refused. */
export function readChoices(
  review: Review,
  { accept = [], drop = [], edit = {}, same = {}, reject = {} }: RuleChoices,
): Decisions {
  const ruleOf = (name: string) => findRule(review, name);
  const decisions: readonly (readonly [string, Decision])[] = [
    ...accept.map((name) => [ruleOf(name).id, { deed: "accept" }] as const),
    ...drop.map((name) => [ruleOf(name).id, { deed: "drop" }] as const),
    ...Object.entries(edit).map(([name, text]) => [ruleOf(name).id, { deed: "edit", text }] as const),
    ...Object.entries(same).map(
      ([name, as]) => [ruleOf(name).id, { deed: "same", as: findSame(review, ruleOf(name), as) }] as const,
    ),
    ...Object.entries(reject).map(
      ([name, reason]) => [ruleOf(name).id, { deed: "reject", reason: readReason(reason) }] as const,
    ),
  ];
  refuseLost(review, Object.fromEntries(decisions));
  const names = decisions.map(([id]) => id);
  const twice = names.find((id, at) => names.indexOf(id) !== at);
  if (twice === undefined) return Object.fromEntries(decisions);
  throw new WhetstoneError("usage", `Rule ${shortId({ id: twice })} has two decisions.`, {
    hint: "Give one decision per rule.",
  });
}

/** Two rules can't each be the same as the other, or as a rule that is left out, because both would be lost. */
function refuseLost({ rules }: Review, now: Decisions): void {
  for (const [id, decision] of Object.entries(now)) {
    if (decision.deed !== "same") continue;
    const other = rules.find((rule) => rule.id === decision.as || rule.wish?.id === decision.as);
    const said = other === undefined ? undefined : (now[other.id] ?? other.decision);
    if (other === undefined || said === undefined || isTaken(said)) continue;
    throw new WhetstoneError(
      "usage",
      `Rule ${shortId({ id })} can't be the same as rule ${shortId(other)}, which is left out.`,
      { hint: `Accept rule ${shortId(other)} as well, or drop both.` },
    );
  }
}

/** The wish or other rule that a rule is the same as. */
function findSame(review: Review, { id, wish }: Rule, as: string): string {
  const named = wish?.sameAs.find((one) => as !== "" && one.wish.startsWith(as));
  if (named !== undefined) return named.wish;
  const others = review.rules.filter((rule) => rule.id !== id);
  if (others.some((rule) => as !== "" && rule.id.startsWith(as))) {
    const other = findRule({ id: review.id, rules: others }, as);
    return other.wish?.id ?? other.id;
  }
  const known = [...(wish?.sameAs.map((one) => one.wish) ?? []), ...others.map(shortId)];
  throw new WhetstoneError(
    "not-found",
    `Rule ${shortId({ id })} can't be the same as "${as}": no other rule of proposal ${review.id} has that id.`,
    {
      hint: known.length === 0 ? "Drop or reject the rule instead." : `Possible ids: ${known.join(", ")}.`,
    },
  );
}

const withReasons = (decisions: Decisions): Decisions =>
  Object.fromEntries(
    Object.entries(decisions).map(([id, decision]) => [
      id,
      decision.deed === "reject" ? { ...decision, reason: readReason(decision.reason) } : decision,
    ]),
  );

function readReason(reason: string): string {
  const why = reason.trim();
  if (why !== "") return why;
  throw new WhetstoneError("usage", "A rejection needs a reason.", {
    hint: "A few words are enough; nights learn from them what not to propose.",
  });
}

/** Keeps a person's decisions on single rules; no live file changes. A rule that was left out stays out until named again. */
export async function chooseRules(
  run: FinishedRun,
  decisions: Decisions,
  { now = Date.now }: { readonly now?: () => number } = {},
): Promise<void> {
  const check = (): Decisions => {
    const review = openForChoice(run, decisions);
    if (review.state === "adopted")
      throw new WhetstoneError(
        "usage",
        `Proposal ${review.id} is already adopted, so there's nothing left to choose.`,
        {
          hint: `Run \`whetstone undo ${review.id}\` first.`,
        },
      );
    const rules = withDecisions(review, withReasons(decisions));
    const chosen = decide(review, rules);
    // refuse rules that can't be written together now, not at adoption
    if (chosen.rules.length > 0) openChosen(run, review, chosen);
    return rules;
  };
  // check without the lock first, so that a refusal leaves no file behind
  check();
  await holdingProposal(run, () => keepDecisions(run, check(), now));
}

/** Taking a rule by name withdraws the rejection of the whole proposal. */
export async function keepDecisions(
  { journalDir, run }: FinishedRun,
  rules: Decisions,
  now: () => number,
  isAdopting = false,
): Promise<void> {
  const { rejected, ...decided } = readDecided(journalDir, run);
  const isKept = rejected !== undefined && !isAdopting && !Object.values(rules).some(isTaken);
  await writeDecided(journalDir, run, { ...decided, rules, at: now(), ...(isKept ? { rejected } : {}) });
}

/** Rejects a whole proposal for good: its rules are left out of later proposals for the same file. */
export async function rejectProposal(run: FinishedRun, reason: string): Promise<Review> {
  const why = readReason(reason);
  const refuseAdopted = () => {
    if (openReview(run).state !== "adopted") return;
    throw new WhetstoneError("usage", `Proposal ${run.run} is already adopted.`, {
      hint: `Run \`whetstone undo ${run.run}\` first, then reject it.`,
    });
  };
  refuseAdopted();
  return holdingProposal(run, async () => {
    refuseAdopted();
    const decided = readDecided(run.journalDir, run.run);
    await writeDecided(run.journalDir, run.run, { ...decided, rejected: why, at: Date.now() });
    return openReview(run);
  });
}

/** The review of a proposal whose rules can still be chosen. */
export function openForChoice(run: FinishedRun, decisions: Decisions = {}): Review {
  refuseInterrupted(readTarget(run.journalDir, run.run), run.journalDir);
  const review = openReview(run);
  const { id, state, reason = "" } = review;
  if (state === "superseded") {
    throw new WhetstoneError("usage", `Proposal ${id} is superseded. ${reason}`.trim(), {
      hint: "`whetstone review` shows the newer one, with everything still open.",
    });
  }
  // a proposal without single rules can still be adopted after a rejection
  if (state === "rejected" && review.rules.length > 0 && !Object.values(decisions).some(isTaken)) {
    throw new WhetstoneError("usage", `You rejected proposal ${id}: ${reason}`, {
      hint: `To take a rule from it anyway, name the rule: \`whetstone adopt ${id} --accept <rule>\`.`,
    });
  }
  return review;
}

/** The adopted part of a proposal, as decisions. */
const adoptedDecisions = ({ rules }: Review): Decisions =>
  Object.fromEntries(
    rules.map(({ id, receipt, decision }): [string, Decision] => [
      id,
      receipt === undefined ? { deed: "drop" } : decision?.deed === "edit" ? decision : { deed: "accept" },
    ]),
  );

/** The person's choice so far, or the adopted part. */
export const chosenSoFar = (review: Review): Chosen =>
  review.state === "rejected"
    ? { rules: [], proven: false, leftOut: [], sentence: "" }
    : decide(review, isAdoptedByRule(review) ? adoptedDecisions(review) : decisionsIn(review));

const isAdoptedByRule = ({ state, rules }: Review): boolean =>
  state === "adopted" && rules.some(({ receipt }) => receipt !== undefined);

/** Whether each rule has its own verdict; otherwise the proposal's verdict covers all of them together. */
export const isJudgedAlone = ({ rules }: Pick<Review, "rules">): boolean =>
  rules.length > 0 && rules.every(({ status }) => status !== "measured");

/** The proposal with exactly the chosen rules. If its bytes differ from the tested ones, it says that they aren't proven. */
export function openChosen(run: FinishedRun, review: Review, chosen: Chosen): OpenedProposal {
  const opened = openProposal(run);
  const { proposal, live, original } = opened;
  const all = review.rules;
  const isWhole = (rules: readonly Rule[]) =>
    rules.length === all.length && rules.every(({ status }) => status !== "edited");
  const isAlone = isJudgedAlone(review);
  if (!isAlone && isWhole(chosen.rules)) return opened;
  const base = originalSkill(opened);
  const { skill, unmatched } = composeRules(base, chosen.rules, all);
  // a person's own words are written or refused, never silently left out
  const misfit = unmatched.find(({ rule }) => isAlone || rule.status === "edited");
  if (misfit !== undefined) throw misfitting(review, misfit);
  const lost = unmatched.map(({ rule }) => rule);
  const taken = chosen.rules.filter((rule) => !lost.includes(rule));
  if (taken.length === 0) throw nothingLeft(review);
  const { files, kept, ...claim } = makeProposal({
    run: run.run,
    original: base,
    best: skill,
    ...claimOf(chosen),
  });
  const { baseline, looked = [] } = proposal;
  const reason = subsetSentence({
    taken: taken.length,
    of: all.length,
    lost: lost.map(shortId),
    expected:
      baseline === undefined
        ? undefined
        : { part: expectedScore(baseline, taken), whole: expectedScore(baseline, all) },
    isSealed: proposal.verdict !== "not-tested",
  });
  return {
    live,
    original,
    proposed: (path) => bytesOf(skill.files[path]),
    ...(isAlone ? {} : { whole: proposal }),
    proposal: { ...(isAlone ? claim : asNotTested(proposal, reason)), files, kept, rules: taken, looked },
  };
}

export const claimOf = ({ proven, sentence }: Chosen) => ({
  sealed: proven ? ({ verdict: "better", sentence } as const) : undefined,
  reason: sentence,
});

const originalSkill = ({ proposal, original }: OpenedProposal): Skill => ({
  main: proposal.main,
  files: Object.fromEntries(
    [...proposal.files, ...proposal.kept].flatMap(({ path }) => {
      const bytes = original(path);
      return bytes === null ? [] : [[path, encodeFile(bytes)]];
    }),
  ),
});

const bytesOf = (content: string | undefined): Buffer | null =>
  content === undefined ? null : Buffer.from(decodeFile(content));

const misfitting = (
  { id }: Review,
  { rule, reason }: { readonly rule: Rule; readonly reason: string },
): WhetstoneError =>
  new WhetstoneError("usage", `Rule ${shortId(rule)} can't be written together with the others: ${reason}.`, {
    hint: `Drop it, or drop a rule it contradicts; \`whetstone review ${id}\` shows them.`,
  });

const nothingLeft = ({ id, rules }: Review): WhetstoneError =>
  new WhetstoneError("usage", `No rule of proposal ${id} is left to adopt.`, {
    hint: `Nothing was changed. Its rules are ${rules.map(shortId).join(", ")}.`,
  });

/** The rules to adopt. Throws if none is left, or if one isn't proven. */
export function chooseToAdopt(review: Review, given: Decisions, unproven: boolean): Chosen {
  const chosen = decide(review, withDecisions(review, given), { unproven });
  const { id, rules } = review;
  const taken = chosen.rules.filter(isUnproven);
  if (chosen.rules.length > 0 && (unproven || taken.length === 0)) return chosen;
  if (chosen.rules.length > 0)
    throw new WhetstoneError("unproven", `Not proven: ${listLabels(taken)}.`, {
      hint: unprovenWay(id, taken),
    });
  const { leftOut } = chosen;
  const offered = rules.filter(({ decision }) => decision === undefined || isTaken(decision));
  const open = offered.filter((rule) => isUnproven(rule) && !leftOut.includes(rule));
  if (open.length > 0)
    throw new WhetstoneError("unproven", `No rule of proposal ${id} is proven: ${listLabels(open)}.`, {
      hint: unprovenWay(id, open),
    });
  if (leftOut.length === 0) throw nothingLeft(review);
  const flag = offered.some((rule) => isUnproven(rule) && leftOut.includes(rule)) ? " --unproven" : "";
  throw new WhetstoneError("unproven", `No rule of proposal ${id} was adopted: ${leftOutText(leftOut)}.`, {
    hint: `\`whetstone review ${id}\` shows what was measured; \`whetstone adopt ${id}${acceptFlag(leftOut.map(({ id: rule }) => rule))}${flag}\` takes them anyway.`,
  });
}

const listLabels = (rules: readonly Rule[]): string =>
  rules.map((rule) => `${shortId(rule)} ${rule.label}`).join("; ");

const unprovenWay = (id: string, open: readonly Rule[]): string =>
  `\`whetstone adopt ${id}${acceptFlag(open.map((rule) => rule.id))} --unproven\` takes them anyway, and every report says so; later nights keep testing the rest.`;

const acceptFlag = (ids: readonly string[]): string =>
  ` --accept ${ids.map((id) => shortId({ id })).join(",")}`;
