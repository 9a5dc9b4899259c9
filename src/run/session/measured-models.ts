import type { Stage } from "../../core/place.ts";
import type { MeasuredAgent, MeasuredModels, MeasuredReplies } from "../../core/rehearse/measured-models.ts";
import { type Cost, readCost } from "../../core/cost.ts";
import type { Journal } from "../../core/ports/journal.ts";
import type { Reply, Role } from "../../core/ports/model.ts";

interface Sums {
  replies: number;
  ms: number;
  timed: number;
  output: number;
  input: number;
  cached: number;
  calls: number;
}

type Place = Stage | "target" | "judge" | "miner";

/** A journal's data on these models, from any run, and the keys of all its results. */
export async function readMeasured(
  journal: Journal,
  models: Readonly<Record<Role, string>>,
): Promise<{ readonly measured: MeasuredModels; readonly keys: ReadonlySet<string> }> {
  const places = new Map<string, Place>();
  const times = new Map<string, number>();
  const keys = new Set<string>();
  const modelsOf = new Map<string, Readonly<Record<string, string>>>();
  let [rollouts, calls] = [0, 0];
  const scores: { hard: number; tasks: number }[] = [];
  for await (const { run, name, body } of journal.read({
    kinds: ["event"],
    names: ["run-start", "unit-end", "stage-end"],
  })) {
    if (name === "run-start") {
      modelsOf.set(run, body["models"] as Readonly<Record<string, string>>);
      continue;
    }
    if (name === "stage-end") {
      const { stage, hard, total } = body;
      const isOurs = modelsOf.get(run)?.["target"] === models.target;
      if (isOurs && stage === "baseline" && typeof hard === "number")
        scores.push({ hard, tasks: Number(total) });
      continue;
    }
    const { key, role, stage, cost, from, ms } = body as unknown as {
      readonly key: string;
      readonly role: Role;
      readonly from: string;
      readonly ms: number;
      readonly stage: Stage;
      readonly cost: Cost;
    };
    if (stage === "preflight" || modelsOf.get(run)?.[role] !== models[role]) continue;
    places.set(key, role === "optimizer" ? stage : role);
    if (from === "provider") times.set(key, ms);
    if (role !== "target") continue;
    // an environment is its own unit, and costs nothing apart from its calls
    if (cost.calls === 0) rollouts += 1;
    else calls += 1;
  }
  const sums = new Map<Place, Sums>();
  for await (const { key, body } of journal.read({ kinds: ["result"] })) {
    keys.add(key);
    const place = places.get(key);
    const usage = (body["output"] as Partial<Reply> | null)?.usage;
    if (place === undefined || usage === undefined) continue;
    const sum = sums.get(place) ?? { replies: 0, ms: 0, timed: 0, output: 0, input: 0, cached: 0, calls: 0 };
    sum.replies += 1;
    sum.output += usage.outputTokens;
    sum.input += usage.inputTokens;
    sum.cached += usage.cachedInputTokens ?? 0;
    sum.calls += readCost(body["cost"]).calls;
    const ms = times.get(key);
    if (ms !== undefined) [sum.ms, sum.timed] = [sum.ms + ms, sum.timed + 1];
    sums.set(place, sum);
  }
  const [target, judge, miner] = [sums.get("target"), sums.get("judge"), sums.get("miner")];
  for (const place of ["target", "judge", "miner"] as const) sums.delete(place);
  const measured: MeasuredModels = {
    target: target && measuredReplies(target),
    agent: target && measuredAgent(target),
    judge: judge && measuredReplies(judge),
    miner: miner && measuredReplies(miner),
    callsPerRollout: rollouts === 0 ? undefined : calls / rollouts,
    score: scores.length === 0 ? undefined : meanScore(scores),
    optimizer: new Map([...sums].map(([stage, sum]) => [stage as Stage, measuredReplies(sum)])),
  };
  return { measured, keys };
}

function meanScore(scores: readonly { readonly hard: number; readonly tasks: number }[]) {
  const tasks = scores.reduce((sum, score) => sum + score.tasks, 0);
  return { mean: scores.reduce((sum, score) => sum + score.hard * score.tasks, 0) / tasks, tasks };
}

const measuredAgent = ({ replies, output, input, cached, calls, ...times }: Sums): MeasuredAgent => ({
  rollouts: replies,
  calls: calls / replies,
  inputTokens: input / replies,
  outputTokens: output / replies,
  cachedInputTokens: cached / replies,
  ms: meanTime(times),
});

const measuredReplies = ({ replies, output, input, cached, ...times }: Sums): MeasuredReplies => ({
  replies,
  outputTokens: output / replies,
  cachedShare: input === 0 ? 0 : cached / input,
  ms: meanTime(times),
});

const meanTime = ({ ms, timed }: Pick<Sums, "ms" | "timed">): number | undefined =>
  timed === 0 ? undefined : ms / timed;
