import { estimateShare } from "../core/gate/estimate-score.ts";
import type { Json, JsonObject } from "../core/json.ts";

/** The summary of a run as this version writes it: version 0.1.0 had another word, and scores without intervals. */
export function readOldSummary(summary: Json): Json {
  if (typeof summary !== "object" || summary === null || Array.isArray(summary)) return summary;
  const given = summary as JsonObject;
  const { verdict, claim, baselines, test } = given;
  const tasks = Number((test as JsonObject | undefined)?.["tasks"] ?? 0);
  const estimate = (score: Json | undefined): Json =>
    typeof score === "number" ? { ...estimateShare(score, tasks) } : (score ?? null);
  const old = baselines as JsonObject | undefined;
  return {
    ...given,
    ...(verdict === oldWord ? { verdict: newWord } : {}),
    ...((claim as JsonObject | undefined)?.["verdict"] === oldWord
      ? { claim: { ...(claim as JsonObject), verdict: newWord } }
      : {}),
    ...(old === undefined
      ? {}
      : { baselines: { ...old, noSkill: estimate(old["noSkill"]), oneShot: estimate(old["oneShot"]) } }),
  };
}

const [oldWord, newWord] = ["underpowered", "not-proven"] as const;
