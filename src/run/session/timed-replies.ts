import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { stateFolder } from "../../config/state-folder.ts";
import { labelModel } from "../../core/describe-models.ts";
import type { RunEvent } from "../../core/events.ts";
import type { Role } from "../../core/ports/model.ts";
import type { MeasuredModels, TimedReplies } from "../../core/rehearse/measured-models.ts";

const rowSchema = z.strictObject({
  /** `provider/model`, and its server if that isn't the vendor's own. */
  model: z.string(),
  role: z.enum(["target", "optimizer", "judge", "miner"]),
  /** The project's journal. Other projects' replies show how fast a model is, but not how much it writes. */
  journal: z.string(),
  replies: z.number().positive(),
  ms: z.number(),
  /** The part of the time that doesn't overlap earlier replies of the same model. */
  ownMs: z.number(),
  /** Only from the doctor's calls; a run's are in its journal. */
  outputTokens: z.number().optional(),
});
const tableSchema = z.strictObject({
  v: z.literal(1),
  replies: z.array(rowSchema),
  /** How many calls a server handles at a time, by model. */
  slots: z.record(z.string(), z.number().int().positive()),
});

type Row = z.output<typeof rowSchema>;
type Table = z.output<typeof tableSchema>;

/** Beyond this many replies, older ones count less; beyond this many rows, the oldest are removed. */
const [mostReplies, mostRows] = [400, 300];

const tablePath = (): string => join(stateFolder(), "replies.json");

/** Reply times on this machine, from all projects. They only help estimates, so an unreadable table counts as empty. */
function readTable(): Table {
  try {
    return tableSchema.parse(JSON.parse(readFileSync(tablePath(), "utf8")));
  } catch {
    return { v: 1, replies: [], slots: {} };
  }
}

/** Adds replies to the table. An estimate isn't worth an error, so a failed write is ignored. */
export async function keepReplies(rows: readonly Row[], slots: Table["slots"] = {}): Promise<void> {
  if (rows.length === 0 && Object.keys(slots).length === 0) return;
  const table = readTable();
  const nameOf = ({ model, role, journal }: Row) => `${model} ${role} ${journal}`;
  const all = new Map(table.replies.map((row) => [nameOf(row), row]));
  for (const row of rows) {
    const name = nameOf(row);
    const known = all.get(name);
    all.delete(name);
    all.set(name, known === undefined ? row : addRows(known, row));
  }
  await writeTable({
    v: 1,
    replies: [...all.values()].slice(-mostRows),
    slots: { ...table.slots, ...slots },
  }).catch(() => {});
}

/** Removes a project's reply times. */
export async function forgetReplies(journalDir: string): Promise<void> {
  const table = readTable();
  const replies = table.replies.filter(({ journal }) => journal !== journalDir);
  if (replies.length < table.replies.length) await writeTable({ ...table, replies });
}

const writeTable = (table: Table): Promise<void> =>
  writeFileAtomic(tablePath(), `${JSON.stringify(table)}\n`, { isPrivate: true });

function addRows(known: Row, row: Row): Row {
  const keep = Math.min(1, mostReplies / known.replies);
  return {
    ...known,
    replies: keep * known.replies + row.replies,
    ms: keep * known.ms + row.ms,
    ownMs: keep * known.ownMs + row.ownMs,
    outputTokens: row.outputTokens ?? known.outputTokens,
  };
}

/** Adds up the times of a run's replies, by model and role. */
export interface ReplyTimer {
  add(event: RunEvent): void;
  rows(): readonly Row[];
}

export function timeReplies({
  models,
  hosts,
  journalDir,
}: Pick<Resolved, "models" | "hosts" | "journalDir">): ReplyTimer {
  const rows = new Map<Role, Row>();
  const lastOf = new Map<string, number>();
  return {
    add(event) {
      if (event.type !== "unit-end" || event.from !== "provider" || event.cost.calls !== 1) return;
      const { role, at, ms } = event;
      const model = labelModel(models[role], hosts);
      const { replies = 0, ms: sum = 0, ownMs = 0 } = rows.get(role) ?? {};
      const own = at - Math.max(at - ms, lastOf.get(model) ?? 0);
      lastOf.set(model, at);
      rows.set(role, {
        model,
        role,
        journal: journalDir,
        replies: replies + 1,
        ms: sum + ms,
        ownMs: ownMs + own,
      });
    },
    rows: () => [...rows.values()],
  };
}

/** Adds the table's data on a run's models. */
export function withTimed(
  measured: MeasuredModels,
  { models, hosts, journalDir }: Pick<Resolved, "models" | "hosts" | "journalDir">,
): MeasuredModels {
  const { replies, slots } = readTable();
  const labels = Object.entries(models).map(
    ([role, id]) => [role as Role, id, labelModel(id, hosts)] as const,
  );
  const timed = labels.flatMap(([role, , label]): readonly (readonly [Role, TimedReplies])[] => {
    const ofModel = replies.filter(({ model }) => model === label);
    const ofRole = ofModel.filter((row) => row.role === role);
    const here = ofRole.filter(({ journal }) => journal === journalDir);
    // another role's replies also show how long a reply is
    const others = ofModel.filter(({ outputTokens }) => outputTokens !== undefined).slice(-1);
    const rows = [here, ofRole, others].find((some) => some.length > 0);
    if (rows === undefined) return [];
    const sum = (pick: (row: Row) => number) => rows.reduce((total, row) => total + pick(row), 0);
    const atATime = slots[label] ?? Number.POSITIVE_INFINITY;
    // a reply that waited for others took longer than the server's own work
    const [all, own, count] = [sum(({ ms }) => ms), sum(({ ownMs }) => ownMs), sum((row) => row.replies)];
    const ms = Math.min(all, atATime * own) / count;
    const written = rows.at(-1)?.outputTokens;
    return [[role, { replies: count, ms, written, outputTokens: here[0]?.outputTokens }]];
  });
  const places = labels.flatMap(([, id, label]) =>
    slots[label] === undefined ? [] : [[id, slots[label]] as const],
  );
  return { ...measured, timed: Object.fromEntries(timed), slots: new Map(places) };
}
