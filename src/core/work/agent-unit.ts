import { WhetstoneError } from "../errors.ts";
import { type UnitHandler, unitHandler } from "./handlers.ts";
import { agentKind } from "./unit-kinds.ts";
import type { Agent, AgentRequest } from "../ports/agent.ts";
import { type Cost, addCost, noCost } from "../cost.ts";

/** `agent@1`: one rollout of an agent. Its input is an `AgentRequest`, its output an `AgentRun`. */
export function agentUnit(agents: ReadonlyMap<string, Agent>): UnitHandler {
  const find = ({ agent }: AgentRequest): Agent => {
    const found = agents.get(agent);
    if (found === undefined)
      throw new WhetstoneError("not-found", `The agent ${agent} is not part of this run.`);
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
      return { output: agentKind.takeOutput(run, `The agent ${request.agent}`), cost: spent };
    },
  });
}
