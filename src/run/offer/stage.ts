import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../adapters/make-folder.ts";
import { hashJson } from "../../core/canonical.ts";
import { asJson } from "../../core/json.ts";
import { composeRules } from "../../core/offer/compose-rules.ts";
import { type ReviewInput, makeReview } from "../../core/offer/make-review.ts";
import { type Chosen, type Decisions, type Review, decide } from "../../core/offer/review.ts";
import { type Skill, mainText } from "../../core/skill/skill.ts";
import { skillFiles, writeArtifacts } from "../reports/artifacts.ts";
import { claimOf } from "./choose.ts";
import { locateFile } from "./live-skill.ts";
import { writeLiveTarget } from "./live-target.ts";
import { nightRun, openReview, writeReview } from "./offers.ts";
import { proposalArtifacts } from "./proposal.ts";

export interface StageInput extends Omit<ReviewInput, "id" | "stagedAt"> {
  readonly journalDir: string;
  /** Milliseconds since the epoch. @default the clock */
  readonly now?: () => number;
}

/**
 * Offers a night's proposal for one document to the person; no live file changes. If the same night runs again, it finds its
 * proposal unchanged. Undefined if no rule is left to choose from.
 */
export async function stageProposal({
  journalDir,
  now = Date.now,
  ...input
}: StageInput): Promise<Review | undefined> {
  const { document } = input;
  const found = makeReview({ ...input, id: proposalId(input), stagedAt: now() });
  const { review, best, chosen } = withoutMisfits(found, document.skill);
  if (review.rules.length === 0) return undefined;
  const run = nightRun(journalDir, review.id);
  if (!existsSync(run.folder)) {
    const looked = review.rules.flatMap((rule) => rule.looked ?? []);
    const isThere = existsSync(document.path) || mainText(document.skill) !== "";
    const original = isThere ? document.skill : { main: document.skill.main, files: {} };
    await writeLiveTarget(review.id, locateFile(document.path), journalDir);
    makeFolder(join(journalDir, "proposals"), 0o700);
    // a reader sees the whole proposal or nothing
    const draft = { ...run, folder: join(journalDir, "proposals", `.${review.id}`) };
    await rm(draft.folder, { recursive: true, force: true });
    await writeArtifacts(draft.folder, {
      ...skillFiles("skills/skill_v0000", original),
      ...skillFiles("best_skill", best),
      ...proposalArtifacts({ run: review.id, original, best, looked, ...claimOf(chosen) }),
    });
    await writeReview(draft, review);
    await rename(draft.folder, run.folder);
  }
  return openReview(run);
}

const proposalId = ({ night, document, rules }: Omit<StageInput, "journalDir">): string => {
  const content = {
    night,
    document: document.id,
    text: mainText(document.skill),
    rules: rules.map(({ rule }) => rule),
  };
  const words = `${night}-${document.name}`.replaceAll(/[^\w-]+/g, "-").replaceAll(/^-+|-+$/g, "");
  return `${words.slice(0, 60)}-${hashJson(asJson(content)).slice(0, 6)}`;
};

/** Rules that can't be written into the document aren't offered; of the rest, those known to be good are proposed. */
function withoutMisfits(
  review: Review,
  skill: Skill,
): { readonly review: Review; readonly best: Skill; readonly chosen: Chosen } {
  const misfits = review.rules.flatMap((rule) => {
    const [misfit] = composeRules(skill, [rule], [rule]).unmatched;
    return misfit === undefined
      ? []
      : [{ id: rule.id, text: rule.text, reason: `It can't be written: ${misfit.reason}.` }];
  });
  const out = new Set(misfits.map(({ id }) => id));
  const fitting: Review = {
    ...review,
    rules: review.rules.filter(({ id }) => !out.has(id)),
    rejected: [...review.rejected, ...misfits],
  };
  const known = decide(fitting, {});
  // if no rule is taken by default, show the text with all of them
  const named: Decisions =
    known.rules.length > 0
      ? {}
      : Object.fromEntries(fitting.rules.map(({ id }) => [id, { deed: "accept" }] as const));
  const { skill: best, unmatched } = composeRules(skill, decide(fitting, named).rules, fitting.rules);
  // of two rules that exclude each other the first is shown; the person chooses
  const dropped = unmatched.map(({ rule }) => [rule.id, { deed: "drop" }] as const);
  const chosen = decide(fitting, { ...named, ...Object.fromEntries(dropped) });
  return { review: fitting, best, chosen };
}
