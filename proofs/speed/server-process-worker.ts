// The other side of server-process.ts: says where it listens, then serves until it is killed or orphaned.
import { hiddenRuleWorld, startScriptedServer } from "../../src/testing/index.ts";
import type { ServerPlan } from "./server-process.ts";

const { seed, world, latency, latencies } = JSON.parse(process.argv[2] ?? "{}") as ServerPlan;
const server = await startScriptedServer({
  seed,
  world: hiddenRuleWorld(world),
  record: false,
  latency: (model) => latencies?.[model] ?? latency,
});
process.on("disconnect", () => process.exit(0));
process.send?.(server.url);
