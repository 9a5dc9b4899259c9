import { hashJson } from "../../core/canonical.ts";
import type { MinerTask } from "../../core/prompts/mine.ts";
import { trimMiddle } from "../../core/trim.ts";
import { commitId } from "../../core/tasks/commit-id.ts";
import type { Check, Task } from "../../core/tasks/task.ts";
import { findCorrections } from "./corrections.ts";
import type { Digest } from "../../core/ports/conversation.ts";
import { problemOfChecks } from "./mined-checks.ts";
import type { MinedTask, MinedWorkspace, SaidSentence } from "../../core/ports/mined-task.ts";
import { type FoundQuote, findNearest, findQuote, findStated } from "./quotes.ts";
import { talkBefore, taskOf } from "./recorded-talk.ts";
import { typedText } from "./typed.ts";
import { findSentences } from "../../core/sentences.ts";
import { said, scoreTask } from "../../core/scorers/score-task.ts";
import { inputWords } from "../../core/tasks/near-duplicates.ts";

export interface CheckMinedOptions {
  /** Whether an agent tries the tasks: only agents call tools and leave files. */
  readonly hasAgent: boolean;
  /** The project's own command that verifies work; from its config, never from a model. */
  readonly verify?: string;
  /** A rehearsal drew it, so its checks don't need a trial. @default false */
  readonly isDrawn?: boolean;
}

export interface CheckedMined {
  /** Undefined if it was dropped. */
  readonly task?: MinedTask;
  /** The words, if they count without a task. */
  readonly heard?: Heard;
  /** Why parts were dropped, one sentence each. If all of it was, the last one says why. */
  readonly reasons: readonly string[];
}

/** A sentence about how to do the work, without a task to try it on. */
export interface Heard extends Pick<MinedTask, "scope" | "skill"> {
  readonly said: SaidSentence;
}

/** Corrections that a program finds, for a conversation that no miner could read. */
export const hintsIn = (digest: Digest): readonly Heard[] =>
  findCorrections(digest.turns).flatMap(({ quote, turn }) => {
    const place = placeIn(quote, turn, digest);
    const said = findSaid(undefined, "correction", place === undefined ? [] : [place], digest);
    return said === undefined ? [] : [{ said, scope: "project", ...skillOf(digest) }];
  });

const placeIn = (quote: string, turn: number, { turns }: Digest): FoundQuote | undefined => {
  const start = turns[turn]?.prompt.indexOf(quote) ?? -1;
  return start === -1 ? undefined : { turn, start, end: start + quote.length };
};

/** Compares a miner's find with the conversation and tries its checks before believing it. */
export async function checkMined(
  found: MinerTask,
  digest: Digest,
  { hasAgent, verify, isDrawn = false }: CheckMinedOptions,
): Promise<CheckedMined> {
  const reasons: string[] = [];
  const quotes = findQuotes(found, digest, reasons);
  if (quotes.length === 0) {
    // drop a task without typed words, but keep a correction that a program found
    const [hint] = found.kind === "correction" ? hintsIn(digest) : [];
    const heard = hint === undefined ? {} : { heard: { ...hint, scope: found.scope } };
    return { reasons: [...reasons, "It quotes nothing that the person typed."], ...heard };
  }
  const stated = readStated(found.stated, digest, reasons);
  const kind = decideKind(found.kind, quotes, digest);
  const said = withAnswers(findSaid(stated, kind, quotes, digest), found, digest);
  const gone = goneBy(found);
  if (gone !== undefined) return { reasons: [...reasons, gone] };
  const about = { scope: found.scope, ...skillOf(digest) };
  const heard = said === undefined ? {} : { heard: { ...about, said } };
  const drop = (reason: string): CheckedMined => ({ reasons: [...reasons, reason], ...heard });
  if (found.intent === "") return drop("It doesn't say what was asked for.");
  const input = joinInput(found.intent, found.context);
  if (input.length > maxInput)
    return drop(`Its text has ${input.length} characters; at most ${maxInput} are allowed.`);
  const workspace = workspaceOf(digest);
  const bare: Task = {
    id: `m-${hashJson({ conversation: digest.id, input }).slice(0, 12)}`,
    input,
    group: digest.id,
    checkout: workspace?.commit,
  };
  const corrected = quotes.find(({ turn }) => turn > 0);
  const commit = commitOf(digest);
  const talk =
    corrected === undefined || kind !== "correction" || !hasAgent || commit === undefined
      ? undefined
      : talkBefore(corrected, digest, commit);
  const chosen = await chooseChecks(found, bare, { hasAgent, isDrawn });
  // a talk's question doesn't need a check from the miner
  const checks = chosen.checks ?? (talk && taskOf(bare, talk).checks);
  if (checks === undefined) return drop(chosen.reason ?? "");
  if (chosen.reason !== undefined && chosen.checks !== undefined) reasons.push(chosen.reason);
  const verifies = verify !== undefined && workspace !== undefined && hasAgent;
  const proof: Check = { kind: "command", value: { run: verify ?? "", seconds: verifySeconds } };
  const task: MinedTask = {
    task: { ...bare, checks: verifies ? [...checks, proof] : checks },
    kind,
    seen: [digest.id],
    outcome: found.outcome,
    evidence: [...new Set(quotes.map((place) => textAt(place, digest)))],
    ...about,
    ...(stated === undefined ? {} : { stated }),
    ...(said === undefined ? {} : { said: [said] }),
    paraphrases: isDrawn
      ? found.paraphrases
      : await keepParaphrases(
          found.paraphrases.map((paraphrase) => joinInput(paraphrase, found.context)),
          { ...bare, checks },
        ),
    ...(workspace === undefined ? {} : { workspace }),
    ...(talk === undefined ? {} : { talk }),
    ...(chosen.checks === undefined ? { isTalkAlone: true } : {}),
  };
  return { task, reasons };
}

/** Why there is nothing to learn from it. A no is simply believed, because then nothing is proposed. */
function goneBy({ literal, holds }: MinerTask): string | undefined {
  if (literal?.answer === "no") return "The person didn't mean it literally.";
  return holds?.answer === "no" ? "The person took it back in the same conversation." : undefined;
}

/** Believes that a rule applies from now on only if the person typed words that say so. */
function withAnswers(
  said: SaidSentence | undefined,
  { lasts, about, reason }: MinerTask,
  { turns }: Digest,
): SaidSentence | undefined {
  if (said === undefined) return undefined;
  const isTyped = (quote: string) => (findQuote(quote, turns) ?? findNearest(quote, turns)) !== undefined;
  const isSo = lasts?.answer === "once" || (lasts !== undefined && isTyped(lasts.quote));
  return {
    ...said,
    ...(isSo ? { lasts: lasts.answer === "once" ? "once" : "always" } : {}),
    ...(about === "" ? {} : { about: shorten(about) }),
    ...(reason !== "" && isTyped(reason) ? { reason: shorten(reason) } : {}),
  };
}

/** The places of the quotes; for a paraphrase, the sentence its words come from. */
const findQuotes = (found: MinerTask, { turns }: Digest, reasons: string[]): readonly FoundQuote[] =>
  found.evidence.slice(0, maxQuotes).flatMap((quote) => {
    const place = findQuote(quote, turns) ?? findNearest(quote, turns);
    if (place === undefined)
      reasons.push(`Nobody typed ${JSON.stringify(shorten(quote))}, so it isn't evidence.`);
    return place ?? [];
  });

/** The used skill, if exactly one was. */
const skillOf = ({ skills }: Digest): Pick<MinedTask, "skill"> => {
  const [skill] = skills;
  return skill === undefined || skills.length > 1 ? {} : { skill };
};

const [maxQuotes, maxQuote, maxInput, maxStated] = [5, 300, 12_000, 500];

/** A project's tests take longer than a grader of one answer. */
const verifySeconds = 600;

const joinInput = (intent: string, context: string): string =>
  context === "" ? intent : `${intent}\n\n${context}`;

const shorten = (text: string): string => (text.length > maxQuote ? `${text.slice(0, maxQuote - 1)}…` : text);

const textAt = ({ turn, start, end }: FoundQuote, { turns }: Digest): string =>
  shorten(turns[turn]?.prompt.slice(start, end) ?? "");

function workspaceOf(digest: Digest): MinedWorkspace | undefined {
  const { files } = digest;
  const commit = commitOf(digest);
  return files.length === 0 || commit === undefined ? undefined : { commit, files };
}

const commitOf = ({ commit = "" }: Digest): string | undefined =>
  commitId.test(commit) ? commit : undefined;

interface ChosenChecks {
  readonly checks?: readonly Check[];
  /** Why they differ from the miner's checks. */
  readonly reason?: string;
}

/** Prefers checks that a program decides over a rubric, and drops all of them if any can't be trusted. */
async function chooseChecks(
  found: MinerTask,
  task: Task,
  { hasAgent, isDrawn }: Required<Pick<CheckMinedOptions, "hasAgent" | "isDrawn">>,
): Promise<ChosenChecks> {
  const programs: Check[] = [];
  const rubrics = found.rubric === "" ? [] : [found.rubric];
  for (const { kind, value, negate } of found.checks) {
    if (kind === "rubric" && typeof value === "string" && !negate) rubrics.push(value);
    else programs.push({ kind, value, ...(negate ? { negate } : {}) });
  }
  const problem =
    programs.length === 0 || isDrawn
      ? undefined
      : await problemOfChecks({ ...task, checks: programs }, hasAgent);
  if (programs.length > 0 && problem === undefined) return { checks: programs };
  const checks = rubrics
    .filter((text) => text.trim() !== "")
    .slice(0, 3)
    .map((value): Check => ({ kind: "rubric", value }));
  if (checks.length === 0) return { reason: problem ?? "It doesn't have a check or a rubric." };
  return problem === undefined ? { checks } : { checks, reason: `${problem} Its rubric is used instead.` };
}

function readStated(claimed: string, { turns }: Digest, reasons: string[]): string | undefined {
  if (claimed === "") return undefined;
  const stated = findStated(claimed, turns);
  if (stated === undefined)
    reasons.push(
      `Nobody typed the rule ${JSON.stringify(shorten(claimed))}, so it isn't stated by the person.`,
    );
  else if (stated.length > maxStated)
    reasons.push(`The stated rule has ${stated.length} characters; at most ${maxStated} are allowed.`);
  else return stated;
  return undefined;
}

/** The stated rule, or else the correcting words, with the scene before them. */
function findSaid(
  stated: string | undefined,
  kind: MinedTask["kind"],
  quotes: readonly FoundQuote[],
  digest: Digest,
): SaidSentence | undefined {
  const { id, turns } = digest;
  const correcting = kind === "correction" ? quotes.find(({ turn }) => turn > 0) : undefined;
  const text = stated ?? (correcting === undefined ? undefined : sentencesAt(correcting, digest));
  if (text === undefined) return undefined;
  const typed = turns.findLastIndex(({ prompt }) => prompt.includes(text));
  const before = turns[(typed === -1 ? (correcting?.turn ?? 0) : typed) - 1];
  return {
    text,
    conversation: id,
    kind: kind === "correction" ? "correction" : "statement",
    isRule: stated !== undefined,
    ...(before === undefined
      ? {}
      : { scene: { asked: shorten(before.prompt), did: trimMiddle(before.answer, maxDid) } }),
  };
}

const maxDid = 600;

/** The whole sentences that contain a quote. */
function sentencesAt({ turn, start, end }: FoundQuote, { turns }: Digest): string {
  const typed = typedText(turns[turn] ?? { prompt: "", answer: "" });
  const touched = findSentences(typed).filter((one) => one.start < end && one.end > start);
  return shorten(typed.slice(touched[0]?.start ?? start, touched.at(-1)?.end ?? end));
}

/** The first prompt can't be a correction. Later words that begin like one are one, whatever the miner calls them. */
function decideKind(
  claimed: MinedTask["kind"],
  quotes: readonly FoundQuote[],
  digest: Digest,
): MinedTask["kind"] {
  if (quotes.every(({ turn }) => turn === 0)) return "task";
  if (claimed === "correction") return "correction";
  const corrections = findCorrections(digest.turns).flatMap(
    ({ quote, turn }) => placeIn(quote, turn, digest) ?? [],
  );
  const corrects = quotes.some(({ turn, start, end }) =>
    corrections.some((one) => one.turn === turn && one.start < end && one.end > start),
  );
  return corrects ? "correction" : "task";
}

/** Keeps at most two other wordings of a task, with the same numbers and without the answer. */
async function keepParaphrases(wordings: readonly string[], task: Task): Promise<readonly string[]> {
  const kept: string[] = [];
  const known = new Set([inputWords(task.input).join(" ")]);
  for (const wording of wordings) {
    const words = inputWords(wording).join(" ");
    if (kept.length === maxParaphrases || known.has(words)) continue;
    if (values(wording) !== values(task.input) || (await passesItself(wording, task))) continue;
    known.add(words);
    kept.push(wording);
  }
  return kept;
}

const maxParaphrases = 2;

const values = (text: string): string =>
  inputWords(text)
    .filter((word) => /\p{N}/u.test(word))
    .map((word) => word.replace(/[.,;:!?]+$/, ""))
    .toSorted()
    .join(" ");

async function passesItself(wording: string, task: Task): Promise<boolean> {
  if (task.checks?.some(({ kind }) => kind === "rubric")) return false;
  const score = await scoreTask(task, said(wording, task), {});
  return "hard" in score && score.hard === 1;
}
