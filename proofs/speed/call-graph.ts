import type { ModelRequest } from "../../src/ports.ts";
import type { RecordedCall } from "./recorded-run.ts";

/** A call and what must have ended before it can begin. */
export interface GraphCall {
  readonly key: string;
  readonly request: ModelRequest;
  readonly step: number;
  /** Yields to every other call that could begin. */
  readonly background: boolean;
  readonly after: readonly GraphCall[];
  /** The longest chain of dependent calls that ends here. */
  readonly depth: number;
}

/**
 * Which call of a run needs which others: each prompt can be written only when the replies it is made of are
 * there. In the order of the loop, so that a call stands behind all that it needs.
 */
export function buildGraph(calls: readonly RecordedCall[]): readonly GraphCall[] {
  const graph: GraphCall[] = [];
  const add = (call: RecordedCall, after: readonly GraphCall[]): GraphCall => {
    const node: GraphCall = {
      key: call.key,
      request: call.request,
      step: call.step,
      background: call.stage === "test",
      after,
      depth: 1 + Math.max(0, ...after.map(({ depth }) => depth)),
    };
    graph.push(node);
    return node;
  };
  const addAll = (some: readonly RecordedCall[], after: readonly GraphCall[]) =>
    some.map((call) => add(call, after));
  const of = (step: number, ...stages: readonly RecordedCall["stage"][]) =>
    calls.filter((call) => call.step === step && stages.includes(call.stage));

  let ready: readonly GraphCall[] = [];
  for (const call of of(0, "preflight")) ready = [add(call, ready)];
  const baseline = addAll(of(0, "baseline"), ready);
  const steps = Math.max(...calls.map(({ step }) => step));
  // the original's test runs beside everything, the winner's after the last gate
  const tests = of(0, "test");
  const systems = new Set(tests.map(({ request }) => request.system));
  const [original] = systems;
  addAll(
    tests.filter(({ request }) => request.system === original),
    ready,
  );

  for (let step = 1; step <= steps; step += 1) {
    const rollouts = addAll(of(step, "rollout"), ready);
    // a baseline that leaves nothing to learn ends the run, so the first analysts wait for it
    const known = step === 1 ? baseline : [];
    // what an analyst reads counts the misses of the whole batch
    const analysts = addAll(of(step, "reflect"), [...known, ...rollouts]);
    let latest: readonly GraphCall[] = analysts.length > 0 ? analysts : rollouts;
    const rest = of(step, "aggregate", "select", "update");
    for (const level of [0, 1, 2, 3]) {
      const some = rest.filter(({ contract }) => levelOf(contract) === level);
      // whatever a merge does not take up goes straight to the next: it still waits for all of them
      if (some.length > 0) latest = [...latest, ...addAll(some, latest)];
    }
    const gate = addAll(of(step, "evaluate"), latest);
    ready = gate.length > 0 ? gate : latest;
  }
  addAll(
    tests.filter(({ request }) => request.system !== original),
    ready,
  );
  // the question what the offered text asks for
  addAll(of(0, "confirm"), ready);
  if (graph.length !== calls.length) {
    throw new Error(`The graph holds ${graph.length} of ${calls.length} calls.`);
  }
  return graph;
}

/** Merges of both sides run together, then their final merge, the ranking, and repairs of edits. */
function levelOf(contract: string | undefined): number {
  if (contract === "merge_failure" || contract === "merge_success") return 0;
  if (contract === "merge_final") return 1;
  return contract === "ranking" ? 2 : 3;
}

/** Rounds of each step: by how much its last call is deeper than the last call of the step before. */
export function roundsPerStep(graph: readonly GraphCall[]): readonly number[] {
  const steps = Math.max(...graph.map(({ step }) => step));
  const deepest = (step: number) =>
    Math.max(...graph.filter((call) => call.step === step).map((call) => call.depth));
  return Array.from({ length: steps }, (_, index) => {
    const own = graph.filter(({ step }) => step === index + 1);
    const start = Math.min(...own.map(({ depth }) => depth)) - 1;
    return deepest(index + 1) - start;
  });
}
