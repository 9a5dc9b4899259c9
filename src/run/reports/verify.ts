import { join, resolve } from "node:path";
import { z } from "zod";
import { openJournal } from "../../adapters/journals/open-journal.ts";
import { openPlainFile } from "../../adapters/read-plain-file.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { isFinished } from "../../core/gate/claim/claim-pair.ts";
import { lostTasks } from "../../core/gate/regression-check.ts";
import { gateScore } from "../../core/gate/score.ts";
import { type Json, type JsonObject, isJsonObject, isObject } from "../../core/json.ts";
import { type ClaimEvidence, type Evidence, evidenceSchema } from "../../core/evidence.ts";
import { type LostTask, judgeLost } from "../../core/measure/lost-tasks.ts";
import { figuresSentence, sealedFigures } from "../../core/measure/seal.ts";
import { lossFigures } from "../../core/rules/prune/test-loss.ts";
import { noTestSentence, notReadSentence, tooSmallSentence } from "../../core/plan-words.ts";
import { identicalSentence, isProof, keepsObjective, unchangedSentence } from "../../core/verdict-words.ts";
import { takeData } from "../../report/embed-data.ts";
import { resultSets, scoringOf, sealedReport } from "../../report/build-report.ts";
import type { RunReport } from "../../report/model.ts";
import type { ResultSet } from "../../report/run-folder.ts";
import { claimedGain } from "../../report/run-overview.ts";
import { taskTables } from "../../report/task-reports.ts";
import { unknownSkill } from "../../report/versions.ts";
import { type ProjectOptions, projectPlace } from "../project-options.ts";
import { comparedPart } from "../verbs/compare.ts";
import { type EvalSummary, evalSentence, ratePart } from "../verbs/evaluate.ts";
import { prunedPart } from "../verbs/prune.ts";
import { trainMessage } from "../verbs/train.ts";
import { type Summary, baselinesPart, sealedPart } from "./artifacts.ts";
import { readBuiltApp } from "./built-app.ts";
import { readAnew, reportFile } from "./read-report.ts";
import { findRun, recordFolder } from "./runs.ts";

export interface VerifyOptions extends ProjectOptions {
  /** The beginning of a run's id, or a file: `report.html` or `report.json`. */
  readonly of: string;
}

export interface Verified {
  readonly run: string;
  /** The stated verdict, which is right if `changed` is empty. */
  readonly sentence: string;
  /** Whether all figures follow from the results. */
  readonly holds: boolean;
  /** The number of figures that were compared. */
  readonly figures: number;
  readonly changed: readonly ChangedFigure[];
  /** The part of the verdict that isn't computed from results. */
  readonly asStated?: string;
  /** Whether the page of a `report.html` is this version's own. A different page may show figures other than those checked. */
  readonly isOwnPage?: boolean;
  /** Hosts named in the results, as recorded by the machine of the run. */
  readonly hosts: readonly string[];
}

export interface ChangedFigure {
  /** The figure's place: `report.json: summary.claim.p`. */
  readonly figure: string;
  /** Undefined if it's missing. */
  readonly stated: Json | undefined;
  readonly recomputed: Json | undefined;
}

/**
 * Recomputes the verdict of a run, and every figure next to it, from its results. Makes no API calls and runs no code of the
 * project. It shows that the arithmetic is right, not that a model was called.
 *
 * @example
 * const { holds, changed } = await verify({ of: "./report.html" });
 * console.log(holds, changed);
 */
export async function verify({ of, ...options }: VerifyOptions): Promise<Verified> {
  if (isReportFile(of)) {
    const path = resolve(options.cwd ?? "", of);
    const { report, app } = reportIn(await readNamed(path), path);
    const isOwnPage = app === undefined ? undefined : app === (await readBuiltApp());
    return { ...checkReport(report, []), isOwnPage };
  }
  const place = projectPlace(options);
  const journal =
    typeof options.journal === "object" ? options.journal : await openJournal(place, { readOnly: true });
  try {
    const found = await findRun(journal, of);
    const folder = recordFolder(place.journalDir, found);
    const report = asJson(await readAnew(journal, found.run, folder));
    return checkReport(report, await readStated(folder));
  } finally {
    if (typeof options.journal !== "object") await journal.close();
  }
}

/** Anything else is the beginning of a run's id. */
export const isReportFile = (of: string): boolean => /\.(?:html?|json)$/i.test(of);

/** No report is larger: a standalone file has at most 20 MB. */
const mostBytes = 64_000_000;

async function readBounded(path: string): Promise<string> {
  const file = await openPlainFile(path);
  try {
    if ((await file.stat()).size > mostBytes)
      throw invalid(`${path} is larger than ${mostBytes / 1e6} MB, so it can't be a report.`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

const invalid = (sentence: string): WhetstoneError =>
  new WhetstoneError("report-invalid", sentence, {
    hint: "Name the report.html or report.json of a run, or the beginning of a run's id.",
  });

const readNamed = (path: string): Promise<string> =>
  readBounded(path).catch((error: unknown) => {
    if (error instanceof WhetstoneError) throw error;
    throw new WhetstoneError("not-found", `${path} can't be read: ${(error as Error).message}.`);
  });

/** The report in a text. For a page, the data that its own code reads, and the page without it. */
function reportIn(text: string, path: string): { readonly report: Json; readonly app?: string } {
  if (!/^\s*</.test(text)) return { report: parseJson(text, path) };
  const taken = takeData(text);
  if (taken === undefined) throw invalid(`${path} isn't a report: its data isn't where a report has it.`);
  const value = parseJson(taken.data, path);
  if (!isJsonObject(value) || value["report"] === undefined) throw invalid(`${path} contains no report.`);
  return { report: value["report"], app: taken.app };
}

function parseJson(text: string, path: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw invalid(`${path} isn't a report: it contains no readable JSON.`);
  }
}

/** The other files of a run's folder that state its figures. */
async function readStated(folder: string): Promise<readonly (readonly [name: string, value: Json])[]> {
  const found: (readonly [string, Json])[] = [];
  for (const name of [reportFile, "report.html", "summary.json", "proposal.json"]) {
    const path = join(folder, name);
    const text = await readBounded(path).catch(() => undefined);
    if (text !== undefined) found.push([name, reportIn(text, path).report]);
  }
  return found;
}

export function checkReport(
  value: Json,
  others: readonly (readonly [name: string, value: Json])[],
): Verified {
  const expected = recomputeSafely(value);
  const changed: ChangedFigure[] = [];
  let figures = 0;
  const check = (stated: Json | undefined, right: Json | undefined, place: string) => {
    figures += compare(stated, right, place, changed);
  };
  for (const part of parts) check((value as JsonObject)[part], expected[part], part);
  for (const [name, stated] of others) {
    if (!isJsonObject(stated)) changed.push({ figure: name, stated, recomputed: {} });
    else if (name === "summary.json") check(stated, asJson(withoutTimes(expected.summary)), name);
    else if (name === "proposal.json") check(stated, proposalOf(expected, stated), name);
    // another report must state the same figures, as it is about the same results
    else for (const part of parts) check(stated[part], expected[part], `${name}: ${part}`);
  }
  const { overview, evidence } = expected as unknown as Pick<RunReport, "overview" | "evidence">;
  const { claim, val, test } = evidence ?? {};
  const stated = (value as unknown as RunReport).overview.sentence;
  return {
    run: overview.id,
    sentence: stated.replace(sealedNote, ""),
    asStated: sealedNote.exec(stated)?.[0].trim(),
    holds: changed.length === 0,
    figures,
    changed,
    hosts: Object.keys((claim ?? test ?? val)?.hosts ?? {}),
  };
}

/** The parts of a report with figures that follow from results. */
const parts = ["overview", "summary", "sealed", "baselines", "tasks", "evidence"] as const;

/** Only these fields are read; all others stay as they are. */
const reportSchema = z.looseObject({
  overview: z.looseObject({ id: z.string(), command: z.string(), status: z.string(), sentence: z.string() }),
  settings: z.looseObject({}),
  summary: z.looseObject({}),
  evidence: evidenceSchema.optional(),
  steps: z.array(z.unknown()),
  versions: z.array(z.looseObject({ version: z.number(), step: z.number(), isBest: z.boolean() })),
  tasks: z.array(z.looseObject({ id: z.string(), split: z.enum(["train", "val", "test"]) })),
  evaluations: z.array(
    z.looseObject({
      name: z.string(),
      step: z.number(),
      task: z.array(z.number()),
      trial: z.array(z.number()),
      hard: z.array(z.number().nullable()),
      soft: z.array(z.number().nullable()).optional(),
      texts: z.array(z.array(z.number())).optional(),
      text: z.array(z.number()).optional(),
    }),
  ),
});

/** A broken file from somebody else must not cause more than an error about that file. */
function recomputeSafely(value: Json): ReturnType<typeof recompute> {
  try {
    return recompute(value);
  } catch (error) {
    if (error instanceof WhetstoneError) throw error;
    throw invalid(`The report's results can't be computed: ${(error as Error).message.slice(0, 200)}.`);
  }
}

/** This note follows a verdict and isn't computed from results. */
const sealedNote = / Sealed files changed: .*$/;

/** The parts of a report as computed from its results; anything that isn't a figure stays as it is. */
function recompute(value: Json): Record<(typeof parts)[number], Json | undefined> {
  const { data, error } = reportSchema.safeParse(value);
  if (data === undefined)
    throw invalid(
      `It isn't the report of a finished run: ${error.issues[0]?.path.join(".")} has a wrong shape.`,
    );
  const report = value as unknown as RunReport;
  const { overview, evidence: stated } = report;
  if (overview.status !== "done") throw invalid("The run hasn't ended, so it states no verdict yet.");
  if (stated === undefined) throw invalid("The report doesn't contain the results of its verdict.");
  if (!isWhole(report))
    throw invalid("Rows of results are incomplete, or name tasks that the report doesn't list.");
  const evidence = evidenceFromRows(report, stated);
  const computed = summaryOf(report, evidence);
  const note = sealedNote.exec(overview.sentence)?.[0] ?? "";
  const sentence = computed.sentence + note;
  const summary =
    "sentence" in computed.summary
      ? { ...computed.summary, sentence: `${String(computed.summary.sentence)}${note}` }
      : computed.summary;
  const state = { ...overview, summary: asJson(summary), settings: report.settings };
  const gain = claimedGain(state);
  const { verdict } = summary as Partial<Summary>;
  return asJson({
    overview: { ...overview, verdict, sentence, gain },
    summary,
    sealed: sealedReport(state, { results: resultSets(report) }),
    baselines: (summary as Partial<Summary>).baselines,
    tasks: tasksOf(report),
    evidence,
  }) as Record<(typeof parts)[number], Json | undefined>;
}

/** Whether every row of results has all its columns and a task; -1 is a task that isn't in the run's list. */
const isWhole = ({ tasks, evaluations }: RunReport): boolean =>
  evaluations.every(
    ({ task, trial, hard, soft = hard, text = hard }) =>
      [trial, hard, soft, text].every(({ length }) => length === task.length) &&
      task.every((place) => place === -1 || tasks[place] !== undefined),
  );

/** The command's final summary, with its figures recomputed. */
function summaryOf(
  { overview: { command }, summary, settings }: RunReport,
  evidence: Evidence,
): { readonly summary: object; readonly sentence: string } {
  const stated = summary as JsonObject;
  const { claim, val, test, rates = {} } = evidence;
  switch (command) {
    case "train": {
      const rest = Object.fromEntries(Object.entries(stated).filter(([key]) => !sealedKeys.has(key)));
      const sealed = claim && sealedFigures(claim);
      const told = {
        ...(rest as unknown as Summary),
        ...(sealed === undefined
          ? unclaimed(stated)
          : { verdict: sealed.claim.verdict, sentence: figuresSentence(sealed), ...sealedPart(sealed) }),
        ...baselinesPart(evidence),
      };
      return { summary: told, sentence: trainMessage(told) };
    }
    case "compare": {
      if (claim === undefined)
        return {
          summary: { ...stated, verdict: "identical", sentence: identicalSentence },
          sentence: identicalSentence,
        };
      const seed = Number((settings as JsonObject)["seed"]);
      const part = comparedPart({ evidence: claim, lost: lostOf(claim, stated["lost"]) }, seed);
      const score = (arm: "before" | "after") => ({
        ...(stated[arm] as JsonObject),
        score: part.claim?.[arm],
      });
      const counts = {
        tasks: claim.tasks.length,
        seen: claim.seen.length,
        trials: claim.pairs[0]?.candidate.length ?? 0,
      };
      const told = { ...stated, ...part, ...counts, before: score("before"), after: score("after") };
      return { summary: told, sentence: part.sentence };
    }
    case "prune": {
      const table = (Array.isArray(stated["table"]) ? stated["table"] : []) as readonly JsonObject[];
      const removed = table.filter(({ fate }) => fate === "removed").length;
      const tested = {
        val: val && lossFigures(val),
        sealed: test && { read: 1, ...lossFigures(test) },
      };
      const part = prunedPart({
        ...(stated as unknown as Parameters<typeof prunedPart>[0]),
        table,
        ...tested,
      });
      const counts = { rules: table.length, removed };
      return { summary: { ...stated, ...part, ...counts }, sentence: part.sentence };
    }
    case "eval": {
      const [rate] = Object.values(rates);
      if (rate === undefined) break;
      const told = { ...(stated as unknown as EvalSummary), ...ratePart(rate) };
      return { summary: told, sentence: evalSentence({ ...told, replies: [] }) };
    }
  }
  throw invalid(`A report of ${JSON.stringify(command)} has no verdict that can be recomputed.`);
}

/** The fields of a training's summary about its sealed test. */
const sealedKeys: ReadonlySet<string> = new Set(
  "test claim lost answeredBy measuredAt missing drift perRollout".split(" "),
);

/** A training without a claim must say so in one of these sentences. */
function unclaimed({ verdict, sentence }: JsonObject): Pick<Summary, "verdict" | "sentence"> {
  const [tasks, trials] = (typeof sentence === "string" ? sentence : "").match(/\d+/g) ?? [];
  const small = tooSmallSentence(Number(tasks), trials === undefined ? null : Number(trials));
  const known = [unchangedSentence, noTestSentence, notReadSentence, small];
  return {
    verdict: verdict === "unchanged" ? "unchanged" : "not-tested",
    sentence: known.find((one) => one === sentence) ?? unchangedSentence,
  };
}

/** Tasks that look lost, each judged by the stated scores of its re-run. */
function lostOf({ tasks, pairs }: ClaimEvidence, stated: Json | undefined): readonly LostTask[] {
  const rows = (Array.isArray(stated) ? stated : []) as unknown as readonly LostTask[];
  return pairs.flatMap((pair, at) => {
    const task = tasks[at] ?? "";
    const [found] = isFinished(pair) ? lostTasks([pair]) : [];
    if (found === undefined) return [];
    return [
      judgeLost(found.rerun === 0 ? { task } : { task, again: rows.find((row) => row.task === task)?.again }),
    ];
  });
}

/** The results of the two arms of each claim. */
const armNames: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>> = {
  train: { claim: ["test_eval_baseline", "test_eval_best"] },
  compare: { claim: ["eval_before", "eval_after"] },
  prune: {
    val: ["selection_eval_baseline", "selection_eval_best"],
    test: ["test_eval_baseline", "test_eval_best"],
  },
};

/** The evidence with its scores taken from the rows of results, because a report's tables show those. */
function evidenceFromRows(report: RunReport, evidence: Evidence): Evidence {
  const sets = new Map(resultSets(report).map((set) => [set.name, set]));
  const { metric, mixedWeight } = scoringOf(report);
  const scoresOf = (set: ResultSet | undefined) =>
    Map.groupBy(
      (set?.ids ?? []).map((id, row) => {
        const [hard, soft] = [set?.hard[row] ?? null, set?.soft[row] ?? null];
        return {
          id,
          score: hard === null || soft === null ? null : gateScore({ hard, soft }, metric, mixedWeight),
        };
      }),
      ({ id }) => id,
    );
  const names = armNames[report.overview.command] ?? {};
  const claims = Object.entries(names).flatMap(([key, [before, after]]) => {
    const claim = evidence[key as "claim" | "val" | "test"];
    if (claim === undefined) return [];
    const arms = [scoresOf(sets.get(before)), scoresOf(sets.get(after))];
    const of = (arm: 0 | 1, id: string) => arms[arm]?.get(id)?.map(({ score }) => score) ?? [];
    const pairs = claim.pairs.map((pair, at) => {
      const id = claim.tasks[at] ?? "";
      return { ...pair, incumbent: of(0, id), candidate: of(1, id) };
    });
    return [[key, { ...claim, pairs }] as const];
  });
  const rates = Object.entries(evidence.rates ?? {}).map(([name, rows]) => {
    const { hard = [], soft = [] } = sets.get(name) ?? {};
    return [name, hard.map((score, at) => ({ ...rows[at], hard: score, soft: soft[at] }))];
  });
  return evidenceSchema.parse({
    ...evidence,
    ...Object.fromEntries(claims),
    ...(evidence.rates === undefined ? {} : { rates: Object.fromEntries(rates) }),
  });
}

/** If a large file leaves out the rollouts of its steps, only the tasks' ids can be compared. */
function tasksOf(report: RunReport): readonly object[] {
  const { tasks, evaluations, steps, versions } = report;
  if (steps.length > 0 && evaluations.every(({ step }) => step === 0)) return tasks;
  const splits = { train: [], val: [], test: [], ...Object.groupBy(tasks, ({ split }) => split) };
  const idsOf = (some: readonly { readonly id: string }[]) => some.map(({ id }) => id);
  const known = new Map(evaluations.map(({ name, version }) => [name, version]));
  const found = taskTables(
    {
      splits: { train: idsOf(splits.train), val: idsOf(splits.val), test: idsOf(splits.test) },
      results: resultSets(report),
    },
    { list: versions, of: ({ name }) => known.get(name) ?? unknownSkill },
  );
  return found.tasks.map((task, at) => ({ ...task, input: tasks[at]?.input ?? "" }));
}

/** A run's proposal with its verdict recomputed. */
function proposalOf({ summary, evidence }: ReturnType<typeof recompute>, stated: JsonObject): Json {
  const { verdict, sentence, perRollout } = summary as unknown as Summary;
  const isSealed = isObject(evidence) && (evidence["claim"] ?? evidence["test"]) !== undefined;
  return asJson({
    ...stated,
    verdict: isSealed ? verdict : "not-tested",
    proven: isSealed && isProof(verdict) && keepsObjective(perRollout),
    ...(isSealed ? { reason: sentence } : {}),
    perRollout: isSealed ? withoutTimes(perRollout) : undefined,
  });
}

const withoutTimes = (value: unknown): unknown =>
  value === undefined
    ? undefined
    : JSON.parse(JSON.stringify(value, (key, one: unknown) => (key === "ms" ? undefined : one)));

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

/** Counts the leaves, and notes each that differs. */
function compare(
  stated: Json | undefined,
  right: Json | undefined,
  figure: string,
  changed: ChangedFigure[],
): number {
  if (isObject(right) && isObject(stated)) {
    const keys = new Set([...Object.keys(right), ...Object.keys(stated)]);
    return [...keys].reduce(
      (sum, key) => sum + compare(ownOf(stated, key), ownOf(right, key), `${figure}.${key}`, changed),
      0,
    );
  }
  if (Array.isArray(right) && Array.isArray(stated)) {
    const length = Math.max(right.length, stated.length);
    return Array.from({ length }, (_, at) =>
      compare(stated[at] as Json, right[at] as Json, `${figure}[${at}]`, changed),
    ).reduce((sum, one) => sum + one, 0);
  }
  if (!Object.is(stated, right)) changed.push({ figure, stated, recomputed: right });
  return 1;
}

const ownOf = (value: object, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? (value as Record<string, Json>)[key] : undefined;
