import type { Journal } from "../../core/ports/journal.ts";
import type { NoiseSummary } from "../verbs/noise.ts";

/** What `whetstone noise` found last about this skill and this target; undefined when it was never run. */
export async function readMeasuredNoise(
  journal: Journal,
  skill: string,
  target: string,
): Promise<Pick<NoiseSummary, "flipRate" | "score" | "variants"> | undefined> {
  const runs = new Set<string>();
  let found: NoiseSummary | undefined;
  for await (const { run, name, body } of journal.read({
    kinds: ["event"],
    names: ["run-start", "run-end"],
  })) {
    const models = body["models"] as { readonly target?: string } | undefined;
    if (name === "run-start") {
      if (body["command"] === "noise" && body["skill"] === skill && models?.target === target) runs.add(run);
    } else if (runs.has(run) && body["status"] === "done") {
      found = body["summary"] as unknown as NoiseSummary;
    }
  }
  return found;
}
