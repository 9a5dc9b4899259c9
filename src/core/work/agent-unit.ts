import { WhetstoneError } from "../errors.ts";
import type { UnitHandler } from "./handlers.ts";
import type { Json } from "../json.ts";
import type { Agent, AgentRequest } from "../ports/agent.ts";
import { type Cost, addCost, noCost } from "../cost.ts";

/** `agent@1`: one rollout of an agent. Its input is an `AgentRequest`, its output an `AgentRun`. */
export function agentUnit(agents: ReadonlyMap<string, Agent>): UnitHandler {
  const find = (input: Json): Agent => {
    const { agent } = input as unknown as AgentRequest;
    const found = agents.get(agent);
    if (found === undefined)
      throw new WhetstoneError("not-found", `The agent ${agent} is not part of this run.`);
    return found;
  };
  return {
    kind: "agent",
    version: 1,
    metered: true,
    lane: (input) => (input as unknown as AgentRequest).agent,
    parallel: (input) => find(input).parallel,
    worst: () => noCost,
    async run(input, { key, signal, meter }) {
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
      const request = input as unknown as AgentRequest;
      const run = await find(input).run(request, { key, signal, meter: counting });
      return { output: run as unknown as Json, cost: spent };
    },
  };
}
