import type { Sandbox } from "../../core/ports/sandbox.ts";
import type { Price } from "../../core/work/price.ts";
import { createPatientFetch } from "../models/patient-fetch.ts";
import type { Checkouts } from "../workspaces/git-checkout.ts";
import type { AgentCli, AgentSettings, Upstream } from "./agent-cli.ts";
import { type FoundCli, findCli } from "./find-cli.ts";

export interface CliOptions {
  /** As the agent knows it. */
  readonly model: string;
  readonly settings: AgentSettings;
  /** The host's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's own home. */
  readonly home: string;
  readonly sandbox: Sandbox;
  /** For tasks that start from a commit. */
  readonly checkouts?: Checkouts;
  /** By `provider/model`. Not used if a login pays. */
  readonly priceOf: (id: string) => Price | undefined;
  /** Plain fields the proxy allows in addition to those it knows. @default none */
  readonly allow?: readonly string[];
  /** How long one answer may take before it counts as lost. @default 600000 */
  readonly answerMs?: number;
}

/** An installed agent, ready to run any number of times. */
export interface OpenCli {
  readonly cli: AgentCli;
  readonly found: FoundCli;
  /** Other paths that must be readable inside: host path → path inside. */
  readonly mounts: Readonly<Record<string, string>>;
  /** Credentials are only looked up when needed: a run whose results are all recorded needs none. */
  readonly connect: () => Promise<Upstream>;
  readonly fetch: typeof globalThis.fetch;
  readonly options: CliOptions;
}

export async function openCli(cli: AgentCli, options: CliOptions): Promise<OpenCli> {
  const { env, home, settings, model } = options;
  const found = await findCli(cli, settings, env);
  const host = { env, home, settings, model, program: found.program };
  let upstream: Promise<Upstream> | undefined;
  const connect = async () => {
    upstream ??= cli.connect(host);
    try {
      return await upstream;
    } catch (error) {
      // a person may log in meanwhile
      upstream = undefined;
      throw error;
    }
  };
  return { cli, found, mounts: cli.mounts?.(host) ?? {}, connect, fetch: createPatientFetch(env), options };
}
