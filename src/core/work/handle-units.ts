import { WhetstoneError, InfraError } from "../errors.ts";
import { type UnitHandler, unitHandler } from "./handlers.ts";
import { agentKind, commandKind, environmentKind } from "./unit-kinds.ts";
import type { Agent, AgentRequest } from "../ports/agent.ts";
import { type Cost, addCost, noCost } from "../cost.ts";
import type { RunCommandInBox } from "../ports/command.ts";
import type { Context } from "../context.ts";
import { invalidTask, runInContext } from "../stages/rollout.ts";

/** Handles `agent@1`: one rollout of an agent. Its input is an `AgentRequest`, its output an `AgentRun`. */
export function agentUnit(agents: ReadonlyMap<string, Agent>): UnitHandler {
  const find = ({ agent }: AgentRequest): Agent => {
    const found = agents.get(agent);
    if (found === undefined)
      throw new WhetstoneError("not-found", `The agent ${agent} isn't part of this run.`);
    return found;
  };
  return unitHandler(agentKind, {
    metered: true,
    lane: ({ agent }) => agent,
    parallel: (request) => find(request).parallel,
    worst: () => noCost,
    async run(request, { key, signal, meter }) {
      let spent: Cost = noCost;
      const counting = {
        async begin(worst: Cost) {
          const call = await meter.begin(worst);
          return {
            async end(cost: Cost | "worst") {
              spent = addCost(spent, cost === "worst" ? worst : cost);
              await call.end(cost);
            },
          };
        },
      };
      const run = await find(request).run(request, { key, signal, meter: counting });
      const usage = { inputTokens: spent.tokens, outputTokens: 0 };
      return { output: agentKind.takeOutput(run, `The agent ${request.agent}`, usage), cost: spent };
    },
  });
}

/** Handles `command@1`: a grader on a copy of the workspace, from a `CommandRequest` to a `CommandRun`. `parallel` is this machine's limit. */
export function commandUnit(runCommand: RunCommandInBox, parallel: number): UnitHandler {
  return unitHandler(commandKind, {
    lane: () => "commands",
    parallel: () => parallel,
    worst: () => noCost,
    async run(request, { signal }) {
      return { output: await runCommand(request, signal), cost: noCost };
    },
  });
}

/** Handles `environment@1`: a custom environment on one task. Its calls to the target are separate units. */
export function environmentUnit(context: () => Context): UnitHandler {
  return unitHandler(environmentKind, {
    lane: () => `environment ${context().environment.name}`,
    worst: () => noCost,
    async run({ task, skill, split, draw }, { place }) {
      const current = context();
      const { name } = current.environment;
      try {
        const outcome = await runInContext(task, skill, { split, draw, place }, current);
        if (outcome.kind === "scored" && [outcome.hard, outcome.soft].every(isScore))
          return { output: environmentKind.takeOutput(outcome, `The environment ${name}`), cost: noCost };
        // neither may be journaled: pending outcomes are retried, and invalid ones must be fixed first
        if (outcome.kind === "scored")
          throw invalidTask(
            task,
            `the environment gave hard ${outcome.hard} and soft ${outcome.soft} instead of scores from 0 to 1`,
          );
        if (outcome.kind === "invalid") throw invalidTask(task, outcome.reason);
        throw new InfraError(outcome.cause.class, outcome.cause.message);
      } catch (error) {
        if (isOurs(error) || current.signal.aborted) throw error;
        throw invalidTask(task, `the environment threw ${String(error)}`);
      }
    },
  });
}

const isScore = (score: number): boolean => score >= 0 && score <= 1;

const isOurs = (error: unknown): boolean =>
  error instanceof Error && (error.name === "InfraError" || error.name === "WhetstoneError");
