import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunNightOptions } from "../../src/index.ts";
import { type ChatWorld, type ScriptedServer, startScriptedServer } from "../../src/testing/index.ts";
import { allowNights } from "../../test/support/night-files.ts";
import { projectState } from "../../test/support/project-state.ts";

export interface Settled {
  readonly home: string;
  readonly project: string;
  readonly journalDir: string;
  readonly server: ScriptedServer;
  readonly config: RunNightOptions;
}

/** A home with a project whose nights are allowed since `at`, and a server that plays every role. */
export async function settle(
  folder: string,
  { seed, world, at }: { readonly seed: number; readonly world: ChatWorld; readonly at: number },
): Promise<Settled> {
  const home = join(realpathSync(folder), "home");
  const project = join(home, "code", "ledgerly");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "CLAUDE.md"), "# Ledgerly\n\nA small billing service in TypeScript.\n");
  const journalDir = projectState(project);
  allowNights(journalDir, { project, sources: ["claude-code", "codex"], at });
  process.env["HOME"] = home;
  const server = await startScriptedServer({ seed, world });
  const roles = ["miner", "target", "optimizer", "judge"] as const;
  const config = {
    ...Object.fromEntries(roles.map((role) => [role, `scripted/${role}`])),
    providers: { scripted: { baseURL: `${server.url}/v1` } },
    prices: Object.fromEntries(roles.map((role) => [`scripted/${role}`, { input: 0.2, output: 1 }])),
    seed,
  };
  return { home, project, journalDir, server, config };
}
