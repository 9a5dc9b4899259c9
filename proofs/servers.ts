import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { hiddenRuleWorld, startScriptedServer } from "../src/testing/index.ts";
import { localCertificate } from "../test/support/local-certificate.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { type Dialect, dialects } from "./servers/dialects.ts";
import { type Person, type Typed, followNext } from "./servers/follow-next.ts";
import { type DialectOptions, type DialectServer, serveDialect } from "./servers/serve-dialect.ts";
import { builtCli } from "./support/built-cli.ts";
import { runCli } from "./support/run-cli.ts";

export const claim =
  "Whatever server people have, and whatever is wrong with its address, key, model or the network: following only the `next` steps leads from the first command to a verdict.";

const seed = 5;
const world = hiddenRuleWorld({
  seed,
  rules: 4,
  passWith: 1,
  passWithout: 0,
  noise: 0,
  useful: 1,
  useless: 0,
  harmful: 0,
});
const mostSteps = 6;

interface Case {
  readonly name: string;
  readonly dialect: Dialect;
  readonly server?: Partial<DialectOptions>;
  /** Flags and variables of the first command; `address` is added as `--base-url` unless a variable names it. */
  readonly type: (server: DialectServer, place: Place) => Typed;
  /** Codes that must be met on the way, in this order. */
  readonly meets: readonly string[];
  readonly isShort?: boolean;
}

/** Everything next to the server. */
interface Place {
  /** A proxy that sends every host's traffic to the server, and one that refuses with a page. */
  readonly proxy: number;
  readonly blocking: number;
  /** A web page, and a JSON service that isn't a model server. */
  readonly page: number;
  readonly service: number;
  /** Redirects every call to the server. */
  readonly moved: number;
}

const { llamaCpp, ollama, vllm, lmStudio, openRouter, azure } = dialects;

const typed = (
  { provider, small, large }: Dialect,
  baseURL: string | undefined,
  change: { readonly target?: string; readonly optimizer?: string; readonly env?: Typed["env"] } = {},
): Typed => ({
  flags: new Map([
    ["--target", `${provider}/${change.target ?? small}`],
    ["--optimizer", `${provider}/${change.optimizer ?? large}`],
    ...(baseURL === undefined ? [] : [["--base-url", baseURL] as const]),
  ]),
  env: change.env ?? {},
});

const keyed = (dialect: Dialect): Dialect => ({ ...dialect, key: "right-key-value" });

const cases: readonly Case[] = [
  {
    name: "llama.cpp with --api-key, while it loads its model",
    dialect: keyed(llamaCpp),
    type: (server) => {
      server.first.push({
        status: 503,
        body: { error: { code: 503, message: "Loading model", type: "unavailable_error" } },
      });
      return typed(llamaCpp, `${server.origin}/v1`, { target: "whatever-small" });
    },
    meets: ["provider-refused"],
    isShort: true,
  },
  {
    name: "Ollama, not started, without /v1, a model name that it doesn't have",
    dialect: ollama,
    server: { isOff: true },
    type: (server) => typed(ollama, server.origin, { target: "llama-smal" }),
    meets: ["too-many-pending", "wrong-path", "model-missing"],
    isShort: true,
  },
  {
    name: "Ollama by OLLAMA_HOST, nothing pulled",
    dialect: ollama,
    server: { models: [] },
    type: ({ port }) =>
      typed(ollama, undefined, { optimizer: ollama.small, env: { OLLAMA_HOST: `0.0.0.0:${port}` } }),
    meets: ["model-missing"],
  },
  {
    name: "vLLM via OPENAI_BASE_URL without /v1, with a key, short names",
    dialect: keyed(vllm),
    type: (server) => ({
      flags: new Map([
        ["--target", "local/qwen3-small"],
        ["--optimizer", "local/qwen3-large"],
      ]),
      env: { OPENAI_BASE_URL: server.origin },
    }),
    meets: ["wrong-path", "provider-refused", "model-missing", "model-missing"],
    isShort: true,
  },
  {
    name: "LM Studio, which answers 200 whatever the path",
    dialect: lmStudio,
    type: (server) => typed(lmStudio, server.origin, { optimizer: "gemma-larg" }),
    meets: ["wrong-path", "model-missing"],
    isShort: true,
  },
  {
    name: "OpenRouter through a proxy: the address of its site, no price, another vendor's model name",
    dialect: keyed(openRouter),
    type: (_, { proxy }) =>
      typed(openRouter, "http://router.example", {
        target: "model-small-4-6",
        env: { HTTP_PROXY: `http://127.0.0.1:${proxy}`, OPENROUTER_API_KEY: "right-key-value" },
      }),
    meets: ["price-unknown", "wrong-path", "model-missing"],
    isShort: true,
  },
  {
    name: "Azure: the address of the resource, another key, a model for a deployment",
    dialect: keyed(azure),
    type: (server) =>
      typed(azure, server.origin, { target: "gpt-4o", env: { FOUNDRY_API_KEY: "another-key-value" } }),
    meets: ["wrong-path", "provider-refused", "model-missing"],
    isShort: true,
  },
  {
    name: "a self-signed certificate, called over plain HTTP",
    dialect: vllm,
    server: { isSecure: true },
    type: (server) => typed(vllm, `${server.origin.replace("https", "http")}/v1`),
    meets: ["tls-failed", "tls-failed"],
  },
  {
    name: "plain HTTP, called with TLS",
    dialect: llamaCpp,
    type: (server) => typed(llamaCpp, `${server.origin.replace("http", "https")}/v1`),
    meets: ["tls-failed"],
  },
  {
    name: "a proxy that refuses, with a message",
    dialect: ollama,
    type: (server, { blocking }) =>
      typed(ollama, `${server.origin}/v1`, { env: { http_proxy: `http://127.0.0.1:${blocking}` } }),
    meets: ["proxy-refused"],
    isShort: true,
  },
  {
    name: "a web page",
    dialect: llamaCpp,
    type: (_, { page }) => typed(llamaCpp, `http://127.0.0.1:${page}/v1`),
    meets: ["web-page"],
  },
  {
    name: "a service that isn't a model server",
    dialect: lmStudio,
    type: (_, { service }) => typed(lmStudio, `http://127.0.0.1:${service}/v1`),
    meets: ["not-an-openai-server"],
  },
  {
    name: "a server that has moved",
    dialect: vllm,
    type: (_, { moved }) => typed(vllm, `http://127.0.0.1:${moved}/v1`),
    meets: ["redirected"],
  },
  {
    name: "a call's full path as the address",
    dialect: vllm,
    type: (server) => typed(vllm, `${server.origin}/v1/chat/completions`),
    meets: ["wrong-path"],
  },
];

/** Options: `--case n` for one alone. */
export default async function proveServers({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const only = args.includes("--case") ? Number(args[args.indexOf("--case") + 1]) : undefined;
  const chosen = cases.filter((one, at) =>
    only === undefined ? !short || one.isShort === true : at === only,
  );
  const cli = builtCli(log);
  await using behind = await startScriptedServer({ seed, world, record: false });
  log(
    "a program types the first command, reads the error and follows its next step; `doctor` must find the same",
  );
  const waiting = chosen.values();
  const problems: string[] = [];
  let [commands, found] = [0, 0];
  const worker = async () => {
    for (const one of waiting) {
      const { met, problem, runs, byDoctor } = await liveThrough(one, { behind: behind.url, cli, short });
      commands += runs;
      found += byDoctor;
      log(`${problem === undefined ? "verdict" : "FALLS SHORT"}  ${one.name}: ${met.join(" → ")}`);
      if (problem !== undefined) problems.push(`${one.name}: ${problem}`);
    }
  };
  await Promise.all([worker(), worker()]);
  for (const problem of problems) log(problem);
  log(
    "not covered: servers that stream or queue, real models, proxies that ask for a login, expired certificates",
  );
  return {
    ok: problems.length === 0 && chosen.length > 0,
    figures: { seed, cases: chosen.length, commands, foundByDoctor: found, problems },
  };
}

interface Life {
  /** Error codes, in the order in which they were met. */
  readonly met: readonly string[];
  readonly runs: number;
  readonly byDoctor: number;
  readonly problem?: string;
}

async function liveThrough(
  one: Case,
  { behind, cli, short }: { readonly behind: string; readonly cli: string; readonly short: boolean },
): Promise<Life> {
  using folder = temporaryDirectory("servers");
  writeProject(folder.path);
  await using server = await serveDialect(one.dialect, { behind, ...one.server });
  await using place = await openPlace(server);
  const person = personAt(server, one.dialect, folder.path);
  const met: string[] = [];
  let [runs, byDoctor] = [0, 0];
  let now = one.type(server, place);
  const run = (command: string) => {
    runs += 1;
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder.path, ...now.env };
    return runCli([command, ...settings, ...[...now.flags].flat()], { cwd: folder.path, env, cli });
  };
  const ended = (problem?: string): Life => ({
    met,
    runs,
    byDoctor,
    ...(problem === undefined ? {} : { problem }),
  });
  for (let step = 0; step <= mostSteps; step += 1) {
    const { code, printed } = await run("train");
    if (code === 0) {
      if (!/^\s*(?:better|higher|not proven|kept the original skill)/m.test(printed))
        return ended(`no verdict: ${printed}`);
      const rest = one.meets.reduce(
        (left, wanted) => left.slice(left.indexOf(wanted) + 1 || left.length + 1),
        [...met, ""],
      );
      return ended(rest.length > 0 ? undefined : `met ${met.join(", ")}, not ${one.meets.join(", ")}`);
    }
    const [, error = "failed"] = /^error ([\w-]+):/m.exec(printed) ?? [];
    const [, next = ""] = /^next: (.*)$/m.exec(printed) ?? [];
    met.push(error);
    // a temporary error may be over by now
    if (error !== "too-many-pending" && (!short || met.length === 1)) {
      const doctor = await run("doctor");
      const isFound = doctor.code === 1 && doctor.printed.includes(next.slice(0, 22));
      if (!isFound) return ended(`doctor doesn't find ${error} (next: ${next}):\n${doctor.printed}`);
      byDoctor += 1;
    }
    const after = await followNext(next, now, person);
    if (after === undefined) return ended(`nothing can be done about: ${printed}`);
    now = after;
  }
  return ended(`no verdict after ${mostSteps} steps`);
}

const settings = ["--epochs", "1", "--batch-size", "8", "--gate", "strict", "--no-baselines"];

function writeProject(folder: string): void {
  mkdirSync(join(folder, "tasks"));
  writeFileSync(join(folder, "SKILL.md"), world.seedSkill(1));
  for (const [name, tasks] of Object.entries(world.splits({ train: 8, val: 6, test: 6 })))
    writeFileSync(join(folder, "tasks", `${name}.json`), JSON.stringify(tasks));
  writeFileSync(join(folder, "issuer.pem"), localCertificate.cert);
}

/** Knowledge of a person who has read the server's own documentation. */
const personAt = (server: DialectServer, { prefix, key = "", small }: Dialect, folder: string): Person => ({
  knows(blank) {
    if (blank.startsWith("address")) return `${server.origin}${prefix}`;
    if (blank.startsWith("a key")) return key;
    if (blank.startsWith("file")) return join(folder, "issuer.pem");
    return small;
  },
  startServer: () => server.listen(),
  async runs(command) {
    server.loaded.add(command.split(" ").at(-1) ?? "");
  },
});

/** A proxy that works, one that refuses, a page, a service, and an old address. */
async function openPlace(server: DialectServer): Promise<Place & AsyncDisposable> {
  const open = new Set<() => Promise<unknown>>();
  const listen = async (one: ReturnType<typeof createServer>): Promise<number> => {
    await new Promise<void>((resolve) => void one.listen(0, "127.0.0.1", resolve));
    open.add(() => {
      one.closeAllConnections();
      return new Promise((resolve) => void one.close(resolve));
    });
    return (one.address() as AddressInfo).port;
  };
  const proxy = createServer().on("connect", (_, socket) => {
    const through = connect(server.port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(through).pipe(socket);
    });
    for (const end of [socket, through]) end.on("error", () => through.destroy() && socket.destroy());
  });
  const refusal =
    "<html><head><title>Blocked</title></head><body>Category: AI. Ask it@contoso.example.</body></html>";
  const blocking = createServer().on("connect", (_, socket) => {
    socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${refusal.length}\r\n\r\n${refusal}`);
  });
  const page = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><html><head><title>Open WebUI</title></head><body>Sign in</body></html>");
  });
  const service = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"status":"ok"}');
  });
  const moved = createServer(({ url }, response) => {
    response.writeHead(308, { location: `${server.origin}${url}` });
    response.end();
  });
  return {
    proxy: await listen(proxy),
    blocking: await listen(blocking),
    page: await listen(page),
    service: await listen(service),
    moved: await listen(moved),
    async [Symbol.asyncDispose]() {
      await Promise.all([...open].map((close) => close()));
    },
  };
}
