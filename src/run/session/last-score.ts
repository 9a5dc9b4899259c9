import type { Journal } from "../../core/ports/journal.ts";
import type { EvalSummary } from "../verbs/evaluate.ts";

/** The latest score from `whetstone eval` for this skill and target; undefined if there is none. */
export async function readLastScore(
  journal: Journal,
  skill: string,
  target: string,
): Promise<number | undefined> {
  const runs = new Set<string>();
  let found: number | undefined;
  for await (const { run, name, body } of journal.read({
    kinds: ["event"],
    names: ["run-start", "run-end"],
  })) {
    const models = body["models"] as { readonly target?: string } | undefined;
    if (name === "run-start") {
      if (body["command"] === "eval" && body["skill"] === skill && models?.target === target) runs.add(run);
    } else if (runs.has(run) && body["status"] === "done") {
      found = (body["summary"] as unknown as EvalSummary).hard ?? found;
    }
  }
  return found;
}
