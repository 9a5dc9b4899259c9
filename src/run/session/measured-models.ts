import type { Stage } from "../../core/place.ts";
import type { PlannedRole } from "../../core/plan/count-calls.ts";
import type { MeasuredAgent } from "../../core/plan/estimate-agent.ts";
import type { MeasuredModels, MeasuredReplies } from "../../core/plan/estimate-replies.ts";
import { type Cost, readCost } from "../../core/cost.ts";
import type { Journal } from "../../core/ports/journal.ts";
import type { Reply, Role } from "../../core/ports/model.ts";

interface Sums {
  replies: number;
  output: number;
  input: number;
  cached: number;
  calls: number;
}

type Place = Stage | "target" | "judge" | "miner";

/** How long the replies of these models have been so far, from what the journal holds of any run. */
export async function readMeasuredModels(
  journal: Journal,
  models: Readonly<Record<PlannedRole, string> & Partial<Record<Role, string>>>,
): Promise<MeasuredModels> {
  const places = new Map<string, Place>();
  const modelsOf = new Map<string, Readonly<Record<string, string>>>();
  let [rollouts, calls] = [0, 0];
  const scores: { hard: number; tasks: number }[] = [];
  const contrasting = new Set<string>();
  const reflections = new Map<string, number>();
  for await (const { run, name, body } of journal.read({
    kinds: ["event"],
    names: ["run-start", "unit-end", "stage-end"],
  })) {
    if (name === "run-start") {
      modelsOf.set(run, body["models"] as Readonly<Record<string, string>>);
      const settings = body["settings"] as { readonly attempts?: number } | undefined;
      if ((settings?.attempts ?? 1) > 1) contrasting.add(run);
      continue;
    }
    if (name === "stage-end") {
      const { stage, hard, total } = body;
      const isOurs = modelsOf.get(run)?.["target"] === models.target;
      if (isOurs && stage === "baseline" && typeof hard === "number")
        scores.push({ hard, tasks: Number(total) });
      continue;
    }
    const { key, role, step, stage, cost } = body as unknown as {
      readonly key: string;
      readonly role: Role;
      readonly step: number;
      readonly stage: Stage;
      readonly cost: Cost;
    };
    if (stage === "preflight" || modelsOf.get(run)?.[role] !== models[role]) continue;
    places.set(key, role === "optimizer" ? stage : role);
    if (stage === "reflect" && contrasting.has(run)) {
      reflections.set(`${run} ${step}`, (reflections.get(`${run} ${step}`) ?? 0) + 1);
    }
    if (role !== "target") continue;
    // an environment is a unit of its own, and costs nothing beside the calls that it makes
    if (cost.calls === 0) rollouts += 1;
    else calls += 1;
  }
  const sums = new Map<Place, Sums>();
  for await (const { key, body } of journal.read({ kinds: ["result"] })) {
    const place = places.get(key);
    const usage = (body["output"] as Partial<Reply> | null)?.usage;
    if (place === undefined || usage === undefined) continue;
    const sum = sums.get(place) ?? { replies: 0, output: 0, input: 0, cached: 0, calls: 0 };
    sum.replies += 1;
    sum.output += usage.outputTokens;
    sum.input += usage.inputTokens;
    sum.cached += usage.cachedInputTokens ?? 0;
    sum.calls += readCost(body["cost"]).calls;
    sums.set(place, sum);
  }
  const [target, judge, miner] = [sums.get("target"), sums.get("judge"), sums.get("miner")];
  for (const place of ["target", "judge", "miner"] as const) sums.delete(place);
  return {
    ...(target === undefined ? {} : { target: measured(target), agent: measuredAgent(target) }),
    ...(judge === undefined ? {} : { judge: measured(judge) }),
    ...(miner === undefined ? {} : { miner: measured(miner) }),
    ...(rollouts === 0 ? {} : { callsPerRollout: calls / rollouts }),
    ...(scores.length === 0 ? {} : { score: meanScore(scores) }),
    ...(reflections.size === 0 ? {} : { contrasted: countPlain([...reflections.values()]) }),
    optimizer: new Map([...sums].map(([stage, sum]) => [stage as Stage, measured(sum)])),
  };
}

function meanScore(scores: readonly { readonly hard: number; readonly tasks: number }[]) {
  const tasks = scores.reduce((sum, score) => sum + score.tasks, 0);
  return { mean: scores.reduce((sum, score) => sum + score.hard * score.tasks, 0) / tasks, tasks };
}

/** A contrastive analyst is alone in its step. */
const countPlain = (calls: readonly number[]) => ({
  steps: calls.length,
  plain: calls.filter((count) => count > 1).length,
});

const measuredAgent = ({ replies, output, input, cached, calls }: Sums): MeasuredAgent => ({
  rollouts: replies,
  calls: calls / replies,
  inputTokens: input / replies,
  outputTokens: output / replies,
  cachedInputTokens: cached / replies,
});

const measured = ({ replies, output, input, cached }: Sums): MeasuredReplies => ({
  replies,
  outputTokens: output / replies,
  cachedShare: input === 0 ? 0 : cached / input,
});
