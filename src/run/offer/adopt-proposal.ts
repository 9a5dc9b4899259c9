import { WhetstoneError } from "../../core/errors.ts";
import { composeProposal, mergeRules } from "../../core/offer/compose-proposal.ts";
import type { ReceiptRule } from "../../core/offer/receipt.ts";
import {
  type Chosen,
  type Decisions,
  type Review,
  decide,
  isTaken,
  keepDrops,
  leftOutText,
} from "../../core/offer/review.ts";
import { type AdoptRunOptions, type Adopted, adoptRun, readyToAdopt } from "./adopt.ts";
import { readTarget } from "./live-skill.ts";
import { holdingLive } from "./live-target.ts";
import { type FinishedRun, openProposal } from "./proposal.ts";
import { finishInterrupted, receiptStore, refuseInterrupted } from "./receipts.ts";
import { type BranchCommit, type Env, commitOnBranch } from "./branch.ts";
import {
  composeFolder,
  holdingProposal,
  nightRun,
  readOriginal,
  readReview,
  writeReview,
} from "./proposal-folder.ts";
import { openReview } from "./offers.ts";
import { openPullRequest } from "./pull-request.ts";

export interface ChoiceOptions extends Omit<AdoptRunOptions, "merge" | "rules"> {
  readonly journalDir: string;
  readonly id: string;
  /** @default what was chosen before, else every rule that is proven or stated and was not measured without effect */
  readonly decisions?: Decisions;
}

export interface AdoptProposalOptions extends ChoiceOptions {
  /** Writes the rules into the file as it is now, though it changed since the night. @default false */
  readonly merge?: boolean;
  /** Commits them onto this new branch; the live file stays as it is. */
  readonly branch?: string;
  /** Also pushes the branch and opens a pull request. @default false */
  readonly pullRequest?: boolean;
  /** @default the environment */
  readonly env?: Env;
}

export type AdoptedProposal =
  | (Adopted & { readonly chosen?: Chosen })
  | {
      readonly kind: "committed";
      readonly chosen: Chosen;
      readonly commit: BranchCommit;
      readonly lines: readonly string[];
    };

/** Puts the chosen rules of a proposal into the live document, or onto a branch: those and no others. */
export async function adoptProposal(options: AdoptProposalOptions): Promise<AdoptedProposal> {
  const { journalDir, id, merge = false, branch, unproven = false } = options;
  const run = nightRun(journalDir, id);
  return holdingProposal(journalDir, id, async () => {
    if (options.check !== true)
      finishInterrupted(readTarget(journalDir, id), receiptStore(journalDir, options));
    const review = openForChoice(options);
    if (review.state === "adopted") {
      const where = review.reason ?? `${readTarget(journalDir, id).path} has what was chosen of it.`;
      return { kind: "already-adopted", lines: [`Proposal ${id} is adopted: ${where}`] };
    }
    const chosen = choose(review, options);
    refuseUnproven(review, chosen, unproven);
    await compose(review, chosen, options);
    const adopting: AdoptRunOptions = {
      ...options,
      // stated and edited rules claim nothing, so there is nothing to prove
      unproven: unproven || !chosen.proven,
      merge: merge && (({ live }) => mergeRules(live, chosen.rules)),
      rules: receiptRules(chosen),
    };
    if (branch !== undefined) return commit(review, chosen, adopting, { ...options, branch });
    const adopted = await adoptRun(run, adopting);
    return { ...adopted, chosen, lines: [...leftOutLines(chosen), ...adopted.lines, ...ruleLines(chosen)] };
  });
}

/** Keeps a choice and makes the proposal's bytes those of it, so that they can be looked at; adopting is another step. */
export async function chooseRules(options: ChoiceOptions): Promise<Chosen> {
  return holdingProposal(options.journalDir, options.id, async () => {
    const review = openForChoice(options);
    if (review.state !== "adopted") {
      const chosen = choose(review, options);
      await compose(review, chosen, options);
      return chosen;
    }
    throw new WhetstoneError("usage", `Proposal ${review.id} is adopted; there is nothing left to choose.`, {
      hint: `\`whetstone sleep undo ${review.id}\` takes it back first.`,
    });
  });
}

function openForChoice({ journalDir, id, decisions = {} }: ChoiceOptions): Review {
  refuseInterrupted(readTarget(journalDir, id), journalDir);
  const review = openReview(journalDir, id);
  if (review.state === "superseded") {
    throw new WhetstoneError("usage", `Proposal ${id} is superseded. ${review.reason ?? ""}`.trim(), {
      hint: "`whetstone sleep review` shows the newer one; what is still open stands there again.",
    });
  }
  const isNamed = Object.values(decisions).some(isTaken);
  if (review.state === "rejected" && !isNamed) {
    throw new WhetstoneError("usage", `You rejected proposal ${id}: ${review.reason ?? ""}`, {
      hint: `If you want a rule of it all the same, name it: \`whetstone sleep adopt ${id} --accept <rule>\`.`,
    });
  }
  return review;
}

function choose(
  review: Review,
  { decisions = review.decisions ?? {}, unproven = false }: ChoiceOptions,
): Chosen {
  const chosen = decide(review, keepDrops(review.decisions ?? {}, decisions), { unproven });
  refuseNothing(review, chosen);
  return chosen;
}

async function compose(
  { id }: Review,
  chosen: Chosen,
  { journalDir, decisions, now = Date.now }: ChoiceOptions,
): Promise<void> {
  const run = nightRun(journalDir, id);
  const text = composeChoice(run, chosen);
  const taken = new Set(chosen.rules.map((rule) => rule.id));
  const { reason: _, ...stored } = readReview(journalDir, id);
  await writeReview(journalDir, {
    ...stored,
    state: "staged",
    ...(decisions === undefined
      ? {}
      : { decisions: keepDrops(stored.decisions ?? {}, decisions), decidedAt: now() }),
    // accepting a rule takes back its rejection
    rules: stored.rules.map(({ rejection, ...rule }) =>
      rejection === undefined || taken.has(rule.id) ? rule : { ...rule, rejection },
    ),
  });
  await composeFolder(run, text, chosen);
}

/** The text that the night found with exactly the chosen rules. */
export function composeChoice(run: FinishedRun, { rules }: Chosen): string {
  const { text, unmatched } = composeProposal(readOriginal(run), rules);
  const [misfit] = unmatched;
  if (misfit === undefined) return text;
  throw new WhetstoneError(
    "usage",
    `Rule ${misfit.rule.id.slice(0, 8)} cannot be written together with the others: ${misfit.reason}.`,
    { hint: `Drop it or one that it contradicts; \`whetstone sleep review ${run.run}\` shows them.` },
  );
}

function refuseNothing({ id, rules }: Review, chosen: Chosen): void {
  if (chosen.rules.length > 0) return;
  const { leftOut } = chosen;
  const offered = rules.filter(({ rejection }) => rejection === undefined);
  const open = offered.filter((rule) => isUnproven(rule) && !leftOut.includes(rule.id));
  if (open.length === 0 && leftOut.length > 0) {
    const flag = offered.some((rule) => isUnproven(rule) && leftOut.includes(rule.id)) ? " --unproven" : "";
    throw new WhetstoneError("unproven", `Nothing of proposal ${id} is taken: ${leftOutText(leftOut)}.`, {
      hint: `\`whetstone sleep review ${id}\` shows what was measured; \`whetstone sleep adopt ${id}${acceptFlags(leftOut)}${flag}\` takes them all the same.`,
    });
  }
  if (open.length === 0) {
    throw new WhetstoneError("usage", `No rule of proposal ${id} is left to adopt.`, {
      hint: `\`whetstone sleep reject ${id} --reason <words>\` puts it away.`,
    });
  }
  throw new WhetstoneError(
    "unproven",
    `No rule of proposal ${id} is proven: ${open.map((rule) => `${rule.id.slice(0, 8)} ${rule.label}`).join("; ")}.`,
    { hint: unprovenWay(id, open) },
  );
}

function refuseUnproven({ id }: Review, { rules }: Chosen, unproven: boolean): void {
  const open = rules.filter(isUnproven);
  if (unproven || open.length === 0) return;
  throw new WhetstoneError(
    "unproven",
    `Not proven: ${open.map((rule) => `${rule.id.slice(0, 8)} ${rule.label}`).join("; ")}.`,
    { hint: unprovenWay(id, open) },
  );
}

/** Something is claimed of it that no test has shown. */
export const isUnproven = ({ status }: { readonly status: Chosen["rules"][number]["status"] }): boolean =>
  status === "open" || status === "unverified";

const unprovenWay = (id: string, open: readonly { readonly id: string }[]): string =>
  `\`whetstone sleep adopt ${id}${acceptFlags(open.map((rule) => rule.id))} --unproven\` takes them all the same, and every report says so; later nights go on testing what is left.`;

const acceptFlags = (ids: readonly string[]): string =>
  ids.map((rule) => ` --accept ${rule.slice(0, 8)}`).join("");

const leftOutLines = ({ rules, leftOut }: Chosen): readonly string[] =>
  leftOut.length === 0 ? [] : [`${rules.length} taken, ${leftOutText(leftOut)}.`];

const receiptRules = ({ rules }: Chosen): readonly ReceiptRule[] =>
  rules.map(({ id, label }) => ({ id, label }));

const ruleLines = ({ rules }: Chosen): readonly string[] =>
  rules.map(({ id, label }) => `  rule ${id.slice(0, 8)}: ${label}`);

async function commit(
  review: Review,
  chosen: Chosen,
  adopting: AdoptRunOptions,
  {
    journalDir,
    branch,
    pullRequest = false,
    env,
    now = Date.now,
  }: AdoptProposalOptions & { readonly branch: string },
): Promise<AdoptedProposal> {
  const { id, document } = review;
  const opened = openProposal(nightRun(journalDir, id));
  const ready = holdingLive(journalDir, opened.live, () => readyToAdopt(opened, adopting));
  if (ready === undefined)
    return {
      kind: "already-adopted",
      lines: [`${opened.live.path} already is what proposal ${id} proposes.`],
    };
  const title = `Learned rules for ${document.name}`;
  // the person's conversations are nobody else's: only rules and what is known of them
  const body = [
    chosen.sentence,
    "",
    ...chosen.rules.map(({ label, edit }) => `- ${edit.op}: ${label}`),
    "",
  ].join("\n");
  const made = await commitOnBranch({
    live: ready.live,
    files: ready.proposal.files.map(({ path }) => ({
      path,
      original: ready.original(path),
      proposed: ready.proposed(path),
    })),
    branch,
    message: `${title}\n\n${body}`,
    env,
  });
  const where = `Commit ${made.commit.slice(0, 12)} on branch ${branch}.`;
  await writeReview(journalDir, {
    ...readReview(journalDir, id),
    state: "adopted",
    decidedAt: now(),
    reason: where,
    taken: receiptRules(chosen),
  });
  const asked = pullRequest ? await openPullRequest({ commit: made, title, body, env }) : [];
  return {
    kind: "committed",
    chosen,
    commit: made,
    lines: [
      ...leftOutLines(chosen),
      `${where} ${ready.live.path}, your checkout and your index are as they were.`,
      ...made.uncommitted.map(
        (path) => `  ${path} has changes that are not committed; the branch holds them too.`,
      ),
      ...ruleLines(chosen),
      ...asked,
    ],
  };
}
