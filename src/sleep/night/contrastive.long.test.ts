import type { Task } from "../../core/tasks/task.ts";
import type { Environment } from "../../core/tasks/environment.ts";
import { type ChatWorld, type ScriptedRequest, seededRandom } from "../../testing/index.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { practise } from "../../../test/support/contrastive/practise.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";

const claim =
  "k attempts at a task are independent draws that run in parallel. The tasks whose attempts differ most are contrasted; if none differ, plain reflection is used.";

longTest(claim, contrastive, ["--untimed"]);

const attempts = 5;

async function contrastive({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  log(`seed ${seed}; a real server on loopback, the night's own practice, gate off`);
  const independence = await showIndependence(seed, short ? 300 : 1500, log);
  const time = args.includes("--untimed") ? { ok: true } : await showTime(seed, short ? 3 : 5, log);
  const choice = await showChoice(seed, log);
  const fallback = await showFallback(seed, log);
  const parts = { independence, time, choice, fallback };
  return { ok: Object.values(parts).every(({ ok }) => ok), figures: { seed, attempts, ...parts } };
}

/** Two attempts at a task that is passed half the time should agree half the time, not more and not less. */
async function showIndependence(seed: number, count: number, log: ProofOptions["log"]) {
  const { result, calls } = await practise({
    seed,
    world: deskWorld(seed, 0.5),
    tasks: makeTasks(count),
    attempts,
  });
  const target = calls.filter(isTarget);
  const keys = new Set(target.map(({ key }) => key)).size;
  const passed = new Map<string, boolean[]>();
  for (const { task, trial, hard } of result.diagnostics.tasks) {
    const row = passed.get(task) ?? [];
    row[trial] = hard === 1;
    passed.set(task, row);
  }
  const rows = [...passed.values()];
  const pairs: number[] = [];
  for (let one = 0; one < attempts; one += 1) {
    for (let other = one + 1; other < attempts; other += 1) {
      pairs.push(rows.filter((row) => row[one] === row[other]).length / rows.length);
    }
  }
  const mean = pairs.reduce((sum, share) => sum + share, 0) / pairs.length;
  const most = Math.max(...pairs.map((share) => Math.abs(share - 0.5)));
  const bound = 4 * Math.sqrt(0.25 / count);
  log(
    `independence: ${target.length} calls with ${keys} keys for ${count} tasks × ${attempts} attempts, each passed with chance 0.5`,
  );
  log(
    `  two attempts at one task agree in ${(100 * mean).toFixed(1)}% (50 if independent); the worst pair is off by ${(100 * most).toFixed(1)} points, 4 standard errors are ${(100 * bound).toFixed(1)}`,
  );
  return {
    ok: keys === count * attempts && target.length === keys && most <= bound,
    tasks: count,
    calls: target.length,
    keys,
    agreement: round(mean),
    worst: round(most),
  };
}

/** The best of some runs each: other work on the machine only ever makes one slower. */
async function showTime(seed: number, repeats: number, log: ProofOptions["log"]) {
  const latencyMs = 600;
  const best = async (k: number) => {
    const runs = [];
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      runs.push(
        await practise({
          seed: seed + repeat,
          world: deskWorld(seed, 0.5),
          tasks: makeTasks(8),
          attempts: k,
          latencyMs,
        }),
      );
    }
    return {
      ms: Math.min(...runs.map((run) => run.ms)),
      inFlight: Math.max(...runs.map((run) => run.maxInFlight)),
    };
  };
  const [one, five] = [await best(1), await best(attempts)];
  const ratio = five.ms / one.ms;
  log(
    `time: 8 tasks, ${latencyMs} ms a call: k = 1 takes ${Math.round(one.ms)} ms, k = ${attempts} takes ${Math.round(five.ms)} ms (× ${ratio.toFixed(2)}); ${five.inFlight} calls at once`,
  );
  return {
    ok: ratio <= 1.3,
    ms1: Math.round(one.ms),
    ms5: Math.round(five.ms),
    ratio: round(ratio),
    inFlight: five.inFlight,
  };
}

/** Ten tasks whose attempts differ by 0.1 to 1.0, in mixed order: the six widest are contrasted, widest first. */
async function showChoice(seed: number, log: ProofOptions["log"]) {
  const spreads = [0.3, 1, 0.1, 0.8, 0.5, 0.2, 0.9, 0.6, 0.4, 0.7];
  const tasks = makeTasks(spreads.length);
  const environment: Environment = {
    name: "spread",
    version: "1",
    throughContext: true,
    async run(task, _, { model, trial }) {
      const reply = await model.generate({ messages: [{ role: "user", content: task.input }] });
      const spread = spreads[tasks.findIndex(({ id }) => id === task.id)] ?? 0;
      const hard = trial % 2 === 0 ? 0 : spread;
      return {
        kind: "scored",
        hard,
        soft: hard,
        feedback: `worth ${hard}`,
        conversation: [
          { role: "user", content: task.input },
          { role: "assistant", content: reply.text },
        ],
      };
    },
  };
  const { calls } = await practise({ seed, world: deskWorld(seed, 1), tasks, attempts, environment });
  const asked = calls.filter((call) => contractOf(call.request) === "contrastive");
  const shown = asked.flatMap(({ request }) => taskIds(request));
  const expected = spreads
    .map((spread, index) => ({ spread, id: tasks[index]?.id ?? "" }))
    .toSorted((a, b) => b.spread - a.spread)
    .slice(0, 6)
    .map(({ id }) => id);
  const others = calls.filter((call) => !isTarget(call) && contractOf(call.request) !== "contrastive");
  log(`choice: spreads ${spreads.join(" ")}; shown to the optimizer: ${shown.join(" ")}`);
  // the plain analysts look at what was not shown, and at nothing else
  const seenTwice = others.flatMap(({ request }) => taskIds(request)).filter((id) => shown.includes(id));
  return {
    ok: asked.length === 1 && seenTwice.length === 0 && shown.join() === expected.join(),
    shown,
    expected,
  };
}

async function showFallback(seed: number, log: ProofOptions["log"]) {
  const contractsAt = async (chance: number) => {
    const { calls } = await practise({
      seed,
      world: deskWorld(seed, chance),
      tasks: makeTasks(6),
      attempts,
    });
    return calls.filter((call) => !isTarget(call)).map((call) => contractOf(call.request));
  };
  const [failing, passing] = [await contractsAt(0), await contractsAt(1)];
  log(
    `fallback: every attempt fails: ${failing.join(", ") || "no call"}; every attempt passes: ${passing.join(", ") || "no call"}`,
  );
  return { ok: failing.join() === "analyst_error" && passing.length === 0, failing, passing };
}

const makeTasks = (count: number): readonly Task[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `t${index + 1}`,
    input: `Question ${index + 1} at the desk: yes or no?`,
    answers: ["yes"],
  }));

/** A target that says yes with a chance of its own for every draw, and an optimizer with one idea. */
function deskWorld(seed: number, chance: number): ChatWorld {
  return {
    reply(request) {
      if (contractOf(request) !== "") {
        const evidence = [...new Set(taskIds(request))];
        const edits = [{ op: "append", content: "- Say yes.", evidence }];
        return { text: JSON.stringify({ reasoning: "", failure_summary: [], edits }) };
      }
      return { text: seededRandom(seed, request.key, "desk")() < chance ? "yes" : "no" };
    },
  };
}

const contractOf = ({ system }: ScriptedRequest): string => /Contract: (\w+)/.exec(system)?.[1] ?? "";

const isTarget = ({ request }: { readonly request: ScriptedRequest }): boolean => contractOf(request) === "";

/** In the order in which an analyst reads them, each once. */
const taskIds = ({ messages }: ScriptedRequest): readonly string[] => [
  ...new Set(
    messages.flatMap(({ content }) =>
      [...content.matchAll(/^Task id: (\S+)$/gm)].map((found) => found[1] ?? ""),
    ),
  ),
];

const round = (value: number): number => Math.round(value * 1000) / 1000;
