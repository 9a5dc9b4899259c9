import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { WhetstoneError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { armCostsSchema } from "../../core/measure/arm-costs.ts";
import type { RunReport } from "../../report/model.ts";
import { type PluginEvalRun, pluginEvalReport } from "../../report/plugin-eval-report.ts";
import { suiteName } from "./artifacts.ts";
import { readResultTrials } from "./read-results.ts";

/** A comparison or a measurement in the format of `claude plugin eval`. */
export async function readPluginEvalReport(
  { overview, summary }: RunReport,
  folder: string,
  version: string,
): Promise<JsonObject> {
  const read = (name: string) => readResultTrials(folder, name);
  const compared = await read("eval_after");
  const [measured] = (await Promise.all(["val_eval", "test_eval", "train_eval"].map(read))).filter(
    (trials) => trials !== undefined,
  );
  const after = compared ?? measured;
  if (after === undefined)
    throw new WhetstoneError("not-found", `Run ${overview.id} compares and measures no skill.`, {
      hint: "Choose a run of `whetstone eval`; `whetstone runs` lists them.",
    });
  return pluginEvalReport({
    version: `whetstone ${version}`,
    startedAt: overview.startedAt,
    workedMs: overview.workedMs,
    nanoUsd: overview.cost.nanoUsd,
    skillName: overview.skillName ?? "skill",
    model: overview.models["target"] ?? "",
    perRollout: summarySchema.safeParse(summary).data?.perRollout,
    suite: await readSuite(folder),
    after,
    before: compared === undefined ? undefined : await read("eval_before"),
  });
}

const summarySchema = z.object({ perRollout: armCostsSchema.optional() });

async function readSuite(folder: string): Promise<PluginEvalRun["suite"]> {
  const text = await readFile(join(folder, suiteName), "utf8").catch(() => "[]");
  return JSON.parse(text) as PluginEvalRun["suite"];
}
