import { type Json, type JsonObject, isJsonObject } from "../core/json.ts";
import { gradersOf, scoredGraders } from "../adapters/importers/plugin-eval-graders.ts";
import { asText } from "../adapters/importers/shape.ts";
import { mean } from "../core/mean.ts";
import type { ArmCosts } from "../core/measure/arm-costs.ts";
import type { CheckOutcome } from "../core/tasks/outcome.ts";

/** One rollout; `soft` is missing where there is no result. */
export interface PluginEvalRow {
  readonly id: string;
  readonly soft?: number;
  readonly checks?: readonly CheckOutcome[];
  /** Of an agent: how many calls of the model it made, among others. */
  readonly extras?: Json;
}

export interface PluginEvalRun {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly workedMs: number;
  readonly nanoUsd: number;
  readonly skillName: string;
  readonly model: string;
  /** Cases as they were written; tasks of other formats have none. */
  readonly suite: readonly { readonly id: string; readonly dir: string; readonly case: JsonObject }[];
  readonly after: readonly (readonly PluginEvalRow[])[];
  /** What a rollout took with each skill, on average; missing where nobody counted. */
  readonly perRollout?: Pick<ArmCosts, "nanoUsd" | "ms"> | undefined;
  /** Without the skill, or with the earlier one; missing where nothing was compared. */
  readonly before?: readonly (readonly PluginEvalRow[])[] | undefined;
}

/**
 * A comparison, or one measurement, as `claude plugin eval --json` writes its own. A rollout without a result is left
 * out, and so is a case without any, because that format has no word for it but a score of 0; the file then says that it is partial.
 */
export function pluginEvalReport(run: PluginEvalRun): JsonObject {
  const { after, before } = run;
  const ids = [...new Set(after.flat().map(({ id }) => id))];
  const cases = ids.flatMap((id) => caseReport(id, run) ?? []);
  const [scores, rates, deltas] = ["score", "passRate", "delta"].map((name) =>
    cases.flatMap(({ aggregates }) => (typeof aggregates[name] === "number" ? [aggregates[name]] : [])),
  ) as [number[], number[], number[]];
  const isPartial = [...after.flat(), ...(before?.flat() ?? [])].some(({ soft }) => soft === undefined);
  return {
    schemaVersion: 1,
    claudeVersion: run.version,
    startedAt: new Date(run.startedAt).toISOString(),
    durationSeconds: Math.round(run.workedMs / 1000),
    costUsd: usd(run.nanoUsd),
    partial: isPartial,
    ...(isPartial ? { partialReason: "interrupted" } : {}),
    suite: {
      root: ".",
      ablation: before === undefined ? "none" : "with-without",
      modelOverride: run.model,
      threshold: 1,
      plugins: [{ name: run.skillName, path: "." }],
    },
    cases,
    aggregates: {
      casesTotal: cases.length,
      casesPassed: scores.filter((score) => score >= 1).length,
      overallScore: scores.length === 0 ? 0 : mean(scores),
      overallPassRate: rates.length === 0 ? 0 : mean(rates),
      ...(deltas.length === 0 ? {} : { meanDelta: mean(deltas) }),
    },
  };
}

type CaseReport = JsonObject & { readonly aggregates: Readonly<Record<string, Json>> };

function caseReport(id: string, { suite, after, before, perRollout }: PluginEvalRun): CaseReport | undefined {
  const found = suite.find((one) => one.id === id);
  const written = found?.case ?? {};
  const execution = isJsonObject(written["execution"]) ? written["execution"] : {};
  const graders = scoredOf(written, rowsOf(id, after));
  const arm = (name: "after" | "before", trials: readonly (readonly PluginEvalRow[])[]) => {
    const took = { nanoUsd: perRollout?.nanoUsd?.[name], ms: perRollout?.ms?.[name] };
    return rowsOf(id, trials).flatMap((row) =>
      row.soft === undefined ? [] : [runReport(row, row.soft, graders, took)],
    );
  };
  const withSkill = arm("after", after);
  const without = before === undefined ? undefined : arm("before", before);
  const [level, levelWithout] = [levelOf(withSkill), without && levelOf(without)];
  if (level === undefined) return undefined;
  return {
    name: id,
    dir: found?.dir ?? id,
    source: "prose",
    promptMarkdown: typeof execution["prompt"] === "string" ? execution["prompt"] : "",
    runsPerCase: after.length,
    timeoutSeconds: typeof execution["timeout_seconds"] === "number" ? execution["timeout_seconds"] : 300,
    maxTurns: typeof execution["max_turns"] === "number" ? execution["max_turns"] : 10,
    graders: graders.map(({ name, type, weight, ...config }) => ({ name, type, weight, config })),
    arms: { with: withSkill, ...(without === undefined ? {} : { without }) },
    aggregates: {
      ...level,
      ...(levelWithout === undefined
        ? {}
        : {
            scoreWithout: levelWithout.score,
            passRateWithout: levelWithout.passRate,
            delta: level.score - levelWithout.score,
          }),
    },
  };
}

const rowsOf = (id: string, trials: readonly (readonly PluginEvalRow[])[]): readonly PluginEvalRow[] =>
  trials.flat().filter((row) => row.id === id);

interface Grader {
  readonly name: string;
  readonly type: string;
  readonly weight: number;
  readonly [key: string]: Json | undefined;
}

/** The graders that our checks were made of, in their order; checks of other tasks have numbers for names. */
function scoredOf(written: JsonObject, rows: readonly PluginEvalRow[]): readonly Grader[] {
  const graders = scoredGraders(gradersOf(written["graders"])).map((grader) => ({
    weight: 1,
    ...grader,
    name: asText(grader["name"]) ?? "",
    type: asText(grader["type"]) ?? "",
  }));
  if (graders.length > 0) return graders;
  const count = rows.find(({ checks }) => checks !== undefined)?.checks?.length ?? 0;
  return Array.from({ length: count }, (_, at) => ({ name: `check-${at + 1}`, type: "check", weight: 1 }));
}

/** What a rollout came to. Time and money are the means of its arm. */
function runReport(
  { checks = [], extras }: PluginEvalRow,
  score: number,
  graders: readonly Grader[],
  { nanoUsd = 0, ms }: { readonly nanoUsd?: number | undefined; readonly ms?: number | undefined },
) {
  return {
    score,
    passed: score >= 1,
    turns: callsOf(extras),
    costUsd: usd(nanoUsd),
    judgeCostUsd: 0,
    ...(ms === undefined ? {} : { durationSeconds: Math.round(ms / 1000) }),
    error: null,
    tracePath: "",
    skippedPaidGraders: false,
    graders: graders.flatMap(({ name, weight }, at) => {
      const check = checks[at];
      if (check === undefined) return [];
      const explanation = `${check.pass ? "as expected" : "expected"} ${check.expected}`;
      return [{ name, passed: check.pass, weight, explanation, withOnly: false, scored: true }];
    }),
  };
}

const callsOf = (extras: Json | undefined): number => {
  const calls = isJsonObject(extras) ? extras["calls"] : undefined;
  return typeof calls === "number" ? calls : 0;
};

function levelOf(
  runs: readonly { readonly score: number }[],
): { readonly score: number; readonly passRate: number } | undefined {
  if (runs.length === 0) return undefined;
  const scores = runs.map(({ score }) => score);
  return { score: mean(scores), passRate: scores.filter((score) => score >= 1).length / scores.length };
}

const usd = (nano: number): number => nano / 1e9;
