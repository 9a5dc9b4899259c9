import { hashJson } from "../canonical.ts";
import type { Context } from "../context.ts";
import { type ReadBar, readBar } from "../gate/claim/read-bar.ts";
import type { JsonObject } from "../json.ts";
import type { Journal } from "../ports/journal.ts";
import { textIdentity } from "../skill/hash.ts";
import type { Skill } from "../skill/skill.ts";
import { askedHash } from "../tasks/asked-hash.ts";
import type { Sides } from "../tasks/split.ts";
import { type SplitName, type Splits, type Task, splitNames } from "../tasks/task.ts";

/**
 * What the journal knows beyond single runs: which tasks were read for a claim, what was found, which pairs of skills were
 * looked at, on which side a task has been, and which tasks made a skill. It outlives the runs that wrote it.
 */
export const standingNames = ["claim-read", "claim-found", "claim-look", "task-sides", "skill-made"] as const;

type StandingName = (typeof standingNames)[number];

const log = "claims";

async function append(
  name: StandingName,
  body: JsonObject,
  { journal, clock }: Pick<Context, "journal" | "clock">,
): Promise<void> {
  const seq = (await readRows(journal, ...standingNames)).length + 1;
  const row = { v: 1, seq, at: clock.now(), ...body };
  await journal.write({ kind: "event", run: log, key: "", name, body: row });
}

async function readRows(
  journal: Journal,
  ...names: readonly StandingName[]
): Promise<readonly (JsonObject & { readonly name: string })[]> {
  const found: (JsonObject & { readonly name: string })[] = [];
  for await (const { body, name } of journal.read({ run: log, names })) found.push({ ...body, name });
  return found;
}

export interface Reading {
  readonly before: Skill;
  readonly after: Skill;
  readonly tasks: readonly Task[];
  /** Of a reading for non-inferiority, which is another question. */
  readonly margin?: number;
}

/** One reading of test tasks for a claim. */
export interface ClaimRead extends ReadBar {
  /** Its name in the journal and in the draws of its pairs. */
  readonly id: string;
}

/** The read that a claim on these tasks would be. A reading that the journal knows is not a new one. */
export async function findRead(
  reading: Reading,
  context: Context,
): Promise<ClaimRead & { readonly isNew: boolean }> {
  const id = hashJson({
    before: textIdentity(reading.before),
    after: textIdentity(reading.after),
    tasks: reading.tasks.map(askedHash).toSorted(),
    target: context.models.target,
    fresh: context.settings.fresh ?? null,
    margin: reading.margin,
  });
  return { id, ...(await nextRead(reading.tasks, context.settings.sealedAlpha, context.journal, id)) };
}

/** What the next claim on these tasks would be held to. */
export async function nextRead(
  tasks: readonly Task[],
  alpha: number,
  journal: Journal,
  id = "",
): Promise<ReadBar & { readonly isNew: boolean }> {
  const found = new Set<unknown>();
  const earlier: { readonly id: unknown; readonly tasks: readonly string[] }[] = [];
  for (const row of await readRows(journal, "claim-read", "claim-found")) {
    if (row.name === "claim-found") found.add(row["id"]);
    else if (row["id"] === id)
      return {
        read: Number(row["read"]),
        found: (row["found"] ?? []) as readonly number[],
        alpha: Number(row["alpha"]),
        steadyAlpha: Number(row["steadyAlpha"]),
        isNew: false,
      };
    else earlier.push({ id: row["id"], tasks: row["tasks"] as readonly string[] });
  }
  const history = earlier.map((one) => ({ tasks: one.tasks, isFound: found.has(one.id) }));
  return { ...readBar(tasks.map(askedHash), history, alpha), isNew: true };
}

/** Counts the read before its first rollout; its bar is written down and stays. */
export async function countRead(reading: Reading, context: Context): Promise<ClaimRead> {
  const { isNew, ...read } = await findRead(reading, context);
  if (isNew) await append("claim-read", { ...read, tasks: reading.tasks.map(askedHash) }, context);
  return read;
}

/** A discovery earns alpha for later reads of the same tasks. */
export async function noteFound({ id }: Pick<ClaimRead, "id">, context: Context): Promise<void> {
  for (const row of await readRows(context.journal, "claim-found")) if (row["id"] === id) return;
  await append("claim-found", { id }, context);
}

export interface Look {
  /** Names the pair in the draws: a later look with more trials goes on with the same pairs. */
  readonly id: string;
  /** How often this pair of skills has been looked at, this one included. */
  readonly look: number;
}

/** Looks at one pair of skills are counted, whichever is the later one, whatever tasks and trials they take. */
export async function countLook(
  { before, after, tasks, trials }: Reading & { readonly trials: number },
  context: Context,
): Promise<Look> {
  const { models, settings } = context;
  const pair = [textIdentity(before), textIdentity(after)];
  const id = hashJson({ pair, target: models.target });
  const both = hashJson({ pair: pair.toSorted(), target: models.target });
  const seen = hashJson({
    id,
    tasks: tasks.map(askedHash).toSorted(),
    trials,
    fresh: settings.fresh ?? null,
  });
  const rows = await readRows(context.journal, "claim-look");
  const known = rows.filter((row) => row["both"] === both).map((row) => row["seen"]);
  const at = known.indexOf(seen);
  if (at !== -1) return { id, look: at + 1 };
  await append("claim-look", { both, seen }, context);
  return { id, look: known.length + 1 };
}

/** On which sides the journal has seen tasks. */
export async function readSides(journal: Journal): Promise<Sides> {
  const sides = new Map<string, Set<SplitName>>();
  for (const row of await readRows(journal, "task-sides"))
    for (const side of splitNames)
      for (const hash of row[side] as readonly string[])
        sides.set(hash, (sides.get(hash) ?? new Set()).add(side));
  return sides;
}

/** Writes down which side each task is on, as far as the journal does not know it. */
export async function noteSides(splits: Splits, context: Context): Promise<void> {
  const known = await readSides(context.journal);
  const news = Object.fromEntries(
    splitNames.map((side) => [
      side,
      splits[side].map(askedHash).filter((hash) => known.get(hash)?.has(side) !== true),
    ]),
  );
  if (Object.values(news).some((hashes) => hashes.length > 0)) await append("task-sides", news, context);
}

/**
 * The tasks that a skill was trained and selected on are no test of it, nor of a text that has lines which came with it: a
 * part, a merge, what was pruned or mended by hand.
 */
export async function noteMade(
  skill: Skill,
  { from, tasks }: { readonly from: Skill; readonly tasks: readonly Task[] },
  context: Context,
): Promise<void> {
  const before = new Set(saidIn(from));
  const row = {
    skill: textIdentity(skill),
    tasks: tasks.map(askedHash),
    lines: saidIn(skill).filter((line) => !before.has(line)),
  };
  const made = hashJson(row);
  const known = await readRows(context.journal, "skill-made");
  if (
    known.some(
      ({ skill: whole, tasks: on, lines = [] }) => hashJson({ skill: whole, tasks: on, lines }) === made,
    )
  )
    return;
  await append("skill-made", row, context);
}

/** Hashes of the tasks that made a skill or lines of it, as far as the journal knows. */
export async function tasksThatMade(skill: Skill, journal: Journal): Promise<ReadonlySet<string>> {
  const made = textIdentity(skill);
  const said = new Set(saidIn(skill));
  const own = (await readRows(journal, "skill-made")).filter(
    ({ skill: whole, lines = [] }) =>
      whole === made || (lines as readonly string[]).some((line) => said.has(line)),
  );
  return new Set(own.flatMap((row) => row["tasks"] as readonly string[]));
}

/** Hashes of the lines that say something: no headings, and nothing of one or two words, which anybody may write. */
const saidIn = ({ files }: Skill): readonly string[] =>
  Object.values(files)
    .flatMap((text) => text.split("\n"))
    .map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])?\s*/, "").trim())
    .filter((line) => !line.startsWith("#") && line.split(/\s+/).length > 2)
    .map(hashJson);
