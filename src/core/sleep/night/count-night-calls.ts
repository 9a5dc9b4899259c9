import type { Digest } from "../mine/digest.ts";
import type { Document } from "../rules/document.ts";
import { eValue, provenAt, tallyOf, verdictOn } from "../rules/evidence.ts";
import type { ArchivedTask } from "../memory/archive.ts";
import type { MinedTask } from "../mine/mined-task.ts";
import type { NightSettings } from "./night-types.ts";
import { regressionSet } from "../memory/regression-set.ts";
import { documentOf } from "../memory/route-tasks.ts";
import type { Rule } from "../rules/rule.ts";
import { drawnSplit } from "../memory/split-night.ts";

export interface NightSizes {
  readonly conversations: readonly Digest[];
  /** Reviewed ones, instead of conversations. */
  readonly tasks?: readonly MinedTask[];
  readonly documents: readonly Document[];
  readonly rules: readonly Rule[];
  readonly archive: readonly ArchivedTask[];
  readonly settings: NightSettings & {
    readonly maxTasks: number;
    readonly recall: number;
    readonly paraphrases: number;
  };
  /** Of the split. */
  readonly seed: number;
  /** Failures that one analyst is shown. */
  readonly minibatchSize: number;
  /** What earlier nights came to, oldest first. */
  readonly nights: readonly { readonly conversations: number; readonly tasks: number }[];
}

/** How many calls of each kind one night makes. */
export interface NightCalls {
  readonly tasks: number;
  /** One for each conversation: the only part that is certain. */
  readonly mining: number;
  /** Of the target. */
  readonly rollouts: number;
  /** Of those, the ones that a judge scores. */
  readonly judged: number;
  /** Answers that the judge is tried on first. */
  readonly calibration: number;
  readonly analysts: number;
}

/**
 * One night as it could go: nobody knows before what is in the conversations, how many rules come of it and whether one
 * of them is proven, so these are drawn; what follows from them is counted as the night is written.
 */
export function drawNightCalls(sizes: NightSizes, random: () => number): NightCalls {
  const { settings, archive, conversations, tasks: reviewed } = sizes;
  const mining = reviewed === undefined ? conversations.length : 0;
  const found = reviewed?.length ?? mining * tasksPerConversation(sizes) * (0.8 + 0.4 * random());
  const tasks = Math.min(found, settings.maxTasks);
  const shares = shareOut(tasks, sizes);
  const documents = shares.map((one) => drawDocument(one, sizes, random));
  const recalled = Math.min(settings.recall, archive.filter(({ split }) => split === "train").length);
  const together = documents.some(({ isProven }) => isProven)
    ? 2 * settings.trials * shares.reduce((total, { val }) => total + val, 0)
    : 0;
  const everything = (pick: (counts: DocumentCalls) => number) =>
    documents.reduce((total, counts) => total + pick(counts), 0);
  const share = rubricShare(reviewed ?? archive);
  const beside = recalled * settings.attempts + together;
  return {
    tasks,
    mining,
    rollouts: everything(({ rollouts }) => rollouts) + beside,
    judged: everything(({ judged }) => judged) + share * beside,
    calibration: Math.min(probesPerTask * share * tasks, mostProbes),
    analysts: everything(({ analysts }) => analysts),
  };
}

/** Most conversations hold one task or none; what this person's held counts for more with every night. */
function tasksPerConversation({ nights }: NightSizes): number {
  const sum = (pick: (night: NightSizes["nights"][number]) => number) =>
    nights.slice(-recentNights).reduce((total, night) => total + pick(night), 0);
  return (
    (sum(({ tasks }) => tasks) + usualTasks * priorWeight) /
    (sum((night) => night.conversations) + priorWeight)
  );
}

const [recentNights, priorWeight, usualTasks] = [5, 5, 0.8];

interface DocumentShare {
  readonly document: Document;
  readonly train: number;
  readonly val: number;
}

/** By the skills that were used and by each conversation's own draw; what else there is belongs to the memory. */
function shareOut(
  tasks: number,
  { conversations, tasks: reviewed, documents, archive, seed }: NightSizes,
): readonly DocumentShare[] {
  // past tasks of a personal kind are the only sign of how many come
  const isPersonal = ({ scope }: MinedTask) => scope === "personal";
  const personal = archive.length === 0 ? usualPersonal : archive.filter(isPersonal).length / archive.length;
  const held = { train: new Map<string, number>(), val: new Map<string, number>() };
  const add = (split: "train" | "val", document: Document | undefined, weight: number) =>
    document !== undefined && held[split].set(document.id, (held[split].get(document.id) ?? 0) + weight);
  for (const { id, skills } of conversations) {
    const [skill] = skills;
    const used = skill === undefined || skills.length > 1 ? {} : { skill };
    const split = drawnSplit(seed, id);
    add(split, documentOf({ ...used, scope: "project" }, documents), 1 - personal);
    add(split, documentOf({ ...used, scope: "personal" }, documents), personal);
  }
  for (const mined of reviewed ?? [])
    add(drawnSplit(seed, mined.task.group ?? mined.seen[0] ?? ""), documentOf(mined, documents), 1);
  const all = [...held.train.values(), ...held.val.values()].reduce((sum, weight) => sum + weight, 0);
  const part = (split: "train" | "val", { id }: Document) =>
    all === 0 ? 0 : (tasks * (held[split].get(id) ?? 0)) / all;
  return documents.map((document) => ({
    document,
    train: part("train", document),
    val: part("val", document),
  }));
}

interface DocumentCalls {
  readonly document: Document;
  readonly rollouts: number;
  readonly judged: number;
  readonly analysts: number;
  /** Something is proven for it. */
  readonly isProven: boolean;
}

function drawDocument(
  { document, train, val }: DocumentShare,
  { settings, rules, archive, tasks: reviewed, documents, minibatchSize }: NightSizes,
  random: () => number,
): DocumentCalls {
  const { attempts, trials, editBudget, maxOpenRules, paraphrases, gate } = settings;
  const isOn = document.kind === "skill" ? settings.evolveSkill : settings.evolveMemory;
  if (!isOn) return { document, rollouts: 0, judged: 0, analysts: 0, isProven: false };
  const own = rules.filter((rule) => rule.document === document.id);
  const practised = train * (1 + paraphrases * usedParaphrases) * attempts;
  // without failures there is nobody to ask
  const asked = 1 - (1 - failing) ** train;
  const plain = Math.ceil(failing * train) / minibatchSize + 0.5;
  const analysts = asked * (attempts > 1 ? 1 + plain / 2 : 1.5 * plain);
  const share = rubricShare(
    (reviewed ?? archive).filter((mined) => documentOf(mined, documents)?.id === document.id),
  );
  if (gate === "off")
    return { document, rollouts: practised, judged: share * practised, analysts, isProven: false };
  const isKnown = own.some(({ nights }) => nights.length > 0);
  // what was refused for want of a second conversation comes back with one
  const refused = own.filter(({ status }) => status === "refused").length;
  const expected = asked * ((isKnown ? laterRules : firstRules) + returning * refused);
  const fresh = Math.min(drawCount(expected, random), editBudget);
  const open = own
    .filter(
      (rule) => rule.status === "open" || (rule.status === "stated" && verdictOn(tallyOf(rule)) === "open"),
    )
    .slice(0, maxOpenRules)
    .map(tallyOf);
  const candidates = [...open, ...Array.from({ length: fresh }, () => ({ wins: 0, losses: 0 }))];
  const provable = candidates.filter(
    ({ wins, losses }) => eValue(wins + Math.round(val), losses) >= provenAt,
  ).length;
  const isProven = Array.from({ length: provable }, random).some((draw) => draw < provenShare);
  const standing = regressionSet({ archive, rules, document: document.id }).length;
  const arms = (count: number) => (count === 0 ? 0 : count + 1);
  const rollouts = practised + (val * arms(candidates.length) + standing * arms(provable)) * trials;
  return { document, rollouts, judged: share * rollouts, analysts, isProven };
}

/** So many on average, each number with its chance (Poisson). */
function drawCount(mean: number, random: () => number): number {
  let [count, chance] = [0, random()];
  while (chance > Math.exp(-mean) && count < 20) {
    chance *= random();
    count += 1;
  }
  return count;
}

/** Rules that come to be tested for one document: on its first nights, once some are known, and for each that was refused. */
const [firstRules, laterRules, returning] = [1, 0.2, 0.5];
/** The share of train tasks that fail. */
export const failing = 0.6;
/** The share of rules that are proven where they can be, and of other wordings that may be practised. */
const [provenShare, usedParaphrases] = [0.6, 0.5];
/** Calls by which a judge is tried: each bad answer of a few tasks. */
const [probesPerTask, mostProbes] = [3, 15];
/** The share of tasks that a judge scores, and of those that are a person's own habit, where none are known. */
const [judgedShare, usualPersonal] = [0.3, 0.2];

function rubricShare(known: readonly MinedTask[]): number {
  const judged = known.filter(({ task }) => task.checks?.some(({ kind }) => kind === "rubric"));
  return known.length === 0 ? judgedShare : judged.length / known.length;
}
