import { hashJson } from "../canonical.ts";
import type { Context } from "../context.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Journal } from "../ports/journal.ts";
import { textIdentity } from "../skill/hash.ts";
import type { Skill } from "../skill/skill.ts";
import { askedHash } from "../tasks/asked-hash.ts";
import type { Sides } from "../tasks/split.ts";
import { type SplitName, type Splits, type Task, splitNames } from "../tasks/task.ts";
import { type AskedRow, type Bar, type AskedQuestion, barOf, newPrints } from "./task-accounts.ts";

/**
 * Facts that the journal keeps beyond single runs: questions about tasks and their answers, the split of each task, and
 * the tasks that made a skill. They outlive the runs that wrote them.
 */
export const standingNames = ["claim-asked", "claim-found", "task-sides", "skill-made"] as const;

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

/** A comparison of two texts, or of several with the same one, on tasks. */
export interface Asking {
  readonly before: Skill;
  readonly after: Skill;
  /** Texts that are compared with the same one at the same time: together they're one question. @default none */
  readonly among?: readonly Skill[] | undefined;
  /** The tasks that are read, and all tasks of their file. @default tasks */
  readonly tasks: readonly Task[];
  readonly file?: readonly Task[] | undefined;
  /** The margin of a non-inferiority test, which is a different question. */
  readonly margin?: number;
  readonly memory?: AskedQuestion["memory"];
}

/** Names the draws of a claim. */
export const claimId = ({ before, after, tasks, margin }: Asking, { models, settings }: Context): string =>
  hashJson({
    before: textIdentity(before),
    after: textIdentity(after),
    tasks: tasks.map(askedHash).toSorted(),
    target: models.target,
    fresh: settings.fresh ?? null,
    margin,
  });

/** The threshold of the next look at this question, or at a new one. */
export async function nextBar(
  asking: Pick<Asking, "tasks" | "file"> | Asking,
  target: string,
  journal: Journal,
): Promise<Bar> {
  const earlier = await readAsked(journal);
  return barOf(
    "before" in asking ? questionOf(asking, target) : { id: "", text: "", target, ...asking },
    earlier,
  );
}

/** Counts a look before its first rollout and fixes its threshold. `look` says what is drawn, and how much. */
export async function countAsked(asking: Asking, look: Json, context: Context): Promise<Bar> {
  const question = questionOf(asking, context.models.target);
  const { id, text, target, tasks, file = tasks } = question;
  const seen = hashJson({ question: id, target, look });
  const earlier = await readAsked(context.journal);
  const known = earlier.find((row) => row["seen"] === seen);
  if (known !== undefined) {
    const { read, look: at, fresh, pay, share, worse, memory } = known as unknown as Bar;
    return { read, look: at, fresh, pay, share, worse, memory };
  }
  const found = await readFound(asking, context);
  const { pays, paid, ...bar } = barOf(question, earlier, found);
  const prints = newPrints(file, earlier) as unknown as JsonObject;
  const row = { question: id, seen, text, target, ...bar, tasks: file.map(askedHash), pays, paid, prints };
  await append("claim-asked", row, context);
  return bar;
}

/** The same two texts are one question, whichever is later; so are several texts with the one they are compared with. */
function questionOf({ before, after, among = [], margin, ...rest }: Asking, target: string): AskedQuestion {
  const texts = [after, ...among].map(textIdentity).toSorted();
  const all = [textIdentity(before), ...texts];
  const id = hashJson({ texts: among.length === 0 ? all.toSorted() : all, margin });
  return { id, text: hashJson({ texts, margin }), target, ...rest };
}

const readAsked = async (journal: Journal): Promise<readonly (AskedRow & JsonObject)[]> =>
  (await readRows(journal, "claim-asked")) as unknown as readonly (AskedRow & JsonObject)[];

/** A text was found to be better on these tasks: a later look at the same question can't add a wrong answer. */
export async function noteFound(asking: Asking, context: Context): Promise<void> {
  const known = await readFound(asking, context);
  const tasks = asking.tasks.map(askedHash).filter((task) => !known.has(task));
  if (tasks.length > 0) await append("claim-found", { asked: foundId(asking, context), tasks }, context);
}

async function readFound(asking: Asking, context: Context): Promise<ReadonlySet<string>> {
  const rows = await readRows(context.journal, "claim-found");
  const own = rows.filter((row) => row["asked"] === foundId(asking, context));
  return new Set(own.flatMap((row) => row["tasks"] as readonly string[]));
}

/** Unlike a question's id, it says which text is better. */
const foundId = ({ before, after, margin }: Asking, { models: { target } }: Context): string =>
  hashJson({ before: textIdentity(before), after: textIdentity(after), margin, target });

/** The splits in which the journal has seen tasks. */
export async function readSides(journal: Journal): Promise<Sides> {
  const sides = new Map<string, Set<SplitName>>();
  for (const row of await readRows(journal, "task-sides"))
    for (const side of splitNames)
      for (const hash of row[side] as readonly string[])
        sides.set(hash, (sides.get(hash) ?? new Set()).add(side));
  return sides;
}

/** Records the split of each task, if the journal doesn't know it yet. */
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
 * The tasks that made a skill can't test it. The same goes for any text with lines from it: a part, a
 * merge, a pruned version or one edited by hand.
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

/** Hashes of the tasks that made a skill or some of its lines, as far as the journal knows. */
export async function tasksThatMade(skill: Skill, journal: Journal): Promise<ReadonlySet<string>> {
  const made = textIdentity(skill);
  const said = new Set(saidIn(skill));
  const own = (await readRows(journal, "skill-made")).filter(
    ({ skill: whole, lines = [] }) =>
      whole === made || (lines as readonly string[]).some((line) => said.has(line)),
  );
  return new Set(own.flatMap((row) => row["tasks"] as readonly string[]));
}

/** Hashes of the lines with content: no headings, and no lines of one or two words, which anybody may write. */
const saidIn = ({ files }: Skill): readonly string[] =>
  Object.values(files)
    .flatMap((text) => text.split("\n"))
    .map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])?\s*/, "").trim())
    .filter((line) => !line.startsWith("#") && line.split(/\s+/).length > 2)
    .map(hashJson);
