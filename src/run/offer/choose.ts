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

/** Decisions on single rules of a proposal, each by its id or the beginning of it. */
export interface RuleChoices {
  /** Take these, and of the others only what is edited. @default all that nothing speaks against */
  readonly accept?: readonly string[];
  /** Leave these out; they may be offered again. */
  readonly drop?: readonly string[];
  /** Take these with other words: the new text by rule. */
  readonly edit?: Readonly<Record<string, string>>;
  /** These are the same as another rule of the proposal, or as a wish that it names: that one's id by rule. They are left out. */
  readonly same?: Readonly<Record<string, string>>;
  /** Leave these out for good, also of later proposals: the reason by rule. */
  readonly reject?: Readonly<Record<string, string>>;
}

/** The choices as decisions. A rule that isn't there, or that is named twice, is refused. */
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
  throw new WhetstoneError("usage", `Rule ${shortId({ id: twice })} is decided on twice.`, {
    hint: "Say one thing of it.",
  });
}

/** Two rules can't each be the same as the other, or as one that is left out: both would be lost. */
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

/** The wish or the other rule that a rule is one with. */
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
      hint:
        known.length === 0 ? "Drop or reject the rule instead." : `It may be one with ${known.join(", ")}.`,
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
    hint: "Nights learn from it what not to propose; a few words are enough.",
  });
}

/** Keeps what a person says of single rules; nothing live changes. What is left out stays so until it is named again. */
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
        `Proposal ${review.id} is adopted; there is nothing left to choose.`,
        {
          hint: `\`whetstone undo ${review.id}\` takes it back first.`,
        },
      );
    const rules = withDecisions(review, withReasons(decisions));
    const chosen = decide(review, rules);
    // what can't be written together is refused now, not when it is adopted
    if (chosen.rules.length > 0) openChosen(run, review, chosen);
    return rules;
  };
  // first without the lock: what is refused leaves no file behind
  check();
  await holdingProposal(run, () => keepDecisions(run, check(), now));
}

/** A rule that is taken by name takes back that the whole proposal was rejected. */
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

/** Rejects all of a proposal for good: its rules are left out of later ones for the same file. */
export async function rejectProposal(run: FinishedRun, reason: string): Promise<Review> {
  const why = readReason(reason);
  const refuseAdopted = () => {
    if (openReview(run).state !== "adopted") return;
    throw new WhetstoneError("usage", `Proposal ${run.run} is adopted.`, {
      hint: `\`whetstone undo ${run.run}\` takes it back; then it can be rejected.`,
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

/** The review of a proposal that something may still be chosen of. */
export function openForChoice(run: FinishedRun, decisions: Decisions = {}): Review {
  refuseInterrupted(readTarget(run.journalDir, run.run), run.journalDir);
  const review = openReview(run);
  const { id, state, reason = "" } = review;
  if (state === "superseded") {
    throw new WhetstoneError("usage", `Proposal ${id} is superseded. ${reason}`.trim(), {
      hint: "`whetstone review` shows the newer one, which has what is still open.",
    });
  }
  // the last word on a proposal without single rules is that it is adopted
  if (state === "rejected" && review.rules.length > 0 && !Object.values(decisions).some(isTaken)) {
    throw new WhetstoneError("usage", `You rejected proposal ${id}: ${reason}`, {
      hint: `If you want a rule of it, name it: \`whetstone adopt ${id} --accept <rule>\`.`,
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

/** Whether each rule has a verdict of its own; otherwise the proposal's is about all of them together. */
export const isJudgedAlone = ({ rules }: Pick<Review, "rules">): boolean =>
  rules.length > 0 && rules.every(({ status }) => status !== "measured");

/** The proposal with exactly the chosen rules. Bytes other than those that were tested aren't proven, and it says so. */
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
  // what a person wrote is written or refused, never left out
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
    hint: `Drop it or one that it contradicts; \`whetstone review ${id}\` shows them.`,
  });

const nothingLeft = ({ id, rules }: Review): WhetstoneError =>
  new WhetstoneError("usage", `No rule of proposal ${id} is left to adopt.`, {
    hint: `Nothing was changed. Its rules are ${rules.map(shortId).join(", ")}.`,
  });

/** The rules to adopt. Refused if none is left, or if one isn't proven. */
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
  throw new WhetstoneError("unproven", `Nothing of proposal ${id} is taken: ${leftOutText(leftOut)}.`, {
    hint: `\`whetstone review ${id}\` shows what was measured; \`whetstone adopt ${id}${acceptFlag(leftOut.map(({ id: rule }) => rule))}${flag}\` takes them all the same.`,
  });
}

const listLabels = (rules: readonly Rule[]): string =>
  rules.map((rule) => `${shortId(rule)} ${rule.label}`).join("; ");

const unprovenWay = (id: string, open: readonly Rule[]): string =>
  `\`whetstone adopt ${id}${acceptFlag(open.map((rule) => rule.id))} --unproven\` takes them all the same, and every report says so; later nights go on testing what is left.`;

const acceptFlag = (ids: readonly string[]): string =>
  ` --accept ${ids.map((id) => shortId({ id })).join(",")}`;
