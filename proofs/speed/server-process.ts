import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { HiddenRuleWorldOptions, Latency } from "../../src/testing/index.ts";

export interface ServerPlan {
  readonly seed: number;
  readonly world: HiddenRuleWorldOptions;
  readonly latency?: Latency;
  /** By the model's name, where it is not the same for all. */
  readonly latencies?: Readonly<Record<string, Latency>>;
}

export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
}

/** A scripted server in a process of its own, so that what is measured here is the client alone. */
export async function startServerProcess(plan: ServerPlan): Promise<ServerProcess> {
  const script = join(import.meta.dirname, "server-process-worker.ts");
  const child = fork(script, [JSON.stringify(plan)]);
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`The server process ended with ${code}.`);
  });
  failed.catch(() => {});
  const [url] = (await Promise.race([once(child, "message"), failed])) as [string];
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill();
      await failed.catch(() => {});
    },
  };
}
