import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { AgentLimits, Meter } from "../../core/ports/agent.ts";
import type { Inside, SandboxCommand, SandboxResult } from "../../core/ports/sandbox.ts";
import type { Price } from "../../core/work/price.ts";
import { freePrice } from "../models/prices.ts";
import { modelProxy, type ProxyFacts } from "../sandboxes/model-proxy.ts";
import { openVolume } from "../sandboxes/own-volume.ts";
import { writeFiles } from "../sandboxes/workspace-files.ts";
import { roomFor, layWorkspace, type WorkspaceContent } from "../workspaces/lay-workspace.ts";
import type { AgentReading, CliTask, PreparedCli, Upstream } from "./agent-cli.ts";
import { skillsOfferedIn } from "./install-skills.ts";
import type { OpenCli } from "./open-cli.ts";
import { type StopReason, watchRun } from "./watch-run.ts";

export interface CliJob {
  /** Without `pays`, which is determined here. */
  readonly task: Omit<CliTask, "model" | "pays">;
  /** The workspace at the start. */
  readonly content: WorkspaceContent;
  readonly limits: AgentLimits;
  readonly meter: Meter;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly untilSkill: boolean;
}

/** Everything known about one run, before it is judged. */
export interface CliRun {
  readonly reading: AgentReading;
  readonly facts: ProxyFacts;
  readonly result: SandboxResult;
  /** Why we ended it, if we did. */
  readonly stopped: StopReason | undefined;
  readonly changed: Readonly<Record<string, string | null>>;
  readonly pays: Upstream["pays"];
}

/** Runs the CLI once, in a fresh home and workspace, with its own proxy. Nothing is left afterwards. */
export async function runCli(open: OpenCli, job: CliJob): Promise<CliRun> {
  const { cli, found, options } = open;
  const { limits, signal } = job;
  const upstream = await open.connect();
  // without credentials there's no need to start anything
  await upstream.headers();
  signal.throwIfAborted();
  const task: CliTask = { ...job.task, model: options.model, pays: upstream.pays };
  const reader = cli.createReader(task);
  let offered: readonly string[] = [];
  const size = await roomFor(job.content, options.checkouts, limits.diskMb);
  await using own = await openVolume("agent", options.sandbox, size);
  const [workspace, home] = [join(own.room, "workspace"), join(own.room, "home")];
  const prepared = cli.prepare(task);
  const laid = await layWorkspace(workspace, job.content, options.checkouts);
  await mkdir(home);
  await writeFiles(home, prepared.home, prepared.executable);
  await using proxy = await modelProxy({
    ...upstream,
    ...priceFor(open, upstream),
    fetch: open.fetch,
    key: job.key,
    meter: job.meter,
    // one answer from the model is one turn
    limits: { calls: Math.min(limits.calls, limits.turns), tokens: limits.tokens },
    ...(task.maxTokens === undefined ? {} : { maxTokens: task.maxTokens }),
    ...(open.options.allow === undefined ? {} : { allow: open.options.allow }),
    // the first request may only be for a title
    onRequest(body) {
      if (offered.length === 0) offered = skillsOfferedIn(body, task.skills);
    },
  });
  const { answerMs = 600_000 } = options;
  using watch = watchRun({ proxy, reader, limits, answerMs, untilSkill: job.untilSkill, signal });
  const result = await options.sandbox.run(
    {
      volume: own.volume,
      workspace,
      home,
      socket: proxy.socket,
      // Node only finds a package's dependencies in a folder with this name
      readOnly: { ...open.mounts, [found.mount]: `/opt/whetstone/agent/${basename(found.mount)}` },
      within: laid.within,
      limits: laid.limits({ ...limits, seconds: wallSeconds }),
      command: (inside) => commandIn(inside, prepared, open),
      onLine(line) {
        reader.line(line);
        watch.look();
      },
    },
    watch.signal,
  );
  const { changed } = await laid.changes();
  await proxy.close();
  const reading = reader.read();
  return {
    reading: { ...reading, offered: [...new Set([...reading.offered, ...offered])] },
    facts: proxy.facts(),
    result,
    stopped: watch.stopped(),
    changed,
    pays: upstream.pays,
  };
}

/** We watch active time ourselves, because the box only sees the clock, which also runs while a provider is slow. */
const wallSeconds = 24 * 3600;

function commandIn(inside: Inside, prepared: PreparedCli, { found, options }: OpenCli): SandboxCommand {
  const { args = [], env = {} } = options.settings;
  const mount = inside.path(found.mount);
  const command = prepared.command(inside, found.within === "" ? mount : `${mount}/${found.within}`);
  return { ...command, argv: [...command.argv, ...args], env: { ...command.env, ...env } };
}

function priceFor({ cli, options }: OpenCli, { pays }: Upstream) {
  if (pays === "login") return {};
  const provider = cli.provider(options.model);
  const priceOf = (model: string): Price | undefined =>
    options.priceOf(`${provider}/${model}`) ?? (pays === "none" ? freePrice : undefined);
  return { priceOf };
}
