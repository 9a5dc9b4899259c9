import { execFileSync, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { hiddenRuleWorld, startScriptedServer } from "../src/testing/index.ts";
import { nodeOf } from "./pack/node-versions.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { builtCli } from "./support/built-cli.ts";
import { runProgram } from "./support/run-program.ts";

export const claim =
  "Installed by npm, pnpm, Yarn and Bun, on Node 22 and 24, in projects of every module kind, each command loads the config that `init` writes. Configs of other kinds load as they are, or after the step in the error message. Node 20 gets one line.";

const root = join(import.meta.dirname, "..");

/** How a package manager installs, and how it starts a package's command in a project. */
const managers = {
  npm: {
    install: ["npm", "install", "--no-audit", "--no-fund"],
    start: ["npx", "--no-install", "whetstone"],
  },
  pnpm: { install: ["pnpm", "add"], start: ["pnpm", "exec", "whetstone"] },
  yarn: { install: ["yarn", "add"], start: ["yarn", "run", "whetstone"] },
  bun: { install: ["bun", "add"], start: ["bun", "x", "whetstone"] },
} as const;

/** `type` in package.json: what `npm init -y` writes, an ES module, and nothing. */
const kinds = ["commonjs", "module", undefined] as const;

/** As a person writes them; the first is `init`'s own. */
const configs = {
  "as init writes it": undefined,
  "whetstone.config.json": (settings: string) => settings,
  "whetstone.config.ts": (settings: string) => `export default ${settings} as const;\n`,
  "whetstone.config.mts": (settings: string) => `export default ${settings} as const;\n`,
  "whetstone.config.js": (settings: string) => `export default ${settings};\n`,
} as const;

const everyCommand = [["plan"], ["doctor"], ["train"], ["eval"], ["prune"], ["runs"]] as const;

export default async function firstFile({ short, log }: ProofOptions): Promise<ProofResult> {
  log(
    "not covered: other operating systems, projects with a custom loader, other versions of the package managers",
  );
  builtCli(log);
  const folder = mkdtempSync(join(tmpdir(), "whetstone-first-file-"));
  const world = hiddenRuleWorld({ seed: 1, rules: 4 });
  const server = await startScriptedServer({ seed: 1, world, record: false });
  try {
    const tarball = join(folder, npm("pack", "--ignore-scripts", "--silent", "--pack-destination", folder));
    const bin = short ? undefined : installManagers(folder);
    const faults: string[] = [];
    let commands = 0;
    for (const major of short ? [24] : [22, 24])
      for (const manager of short
        ? (["npm"] as const)
        : (Object.keys(managers) as (keyof typeof managers)[])) {
        const { install, start } = managers[manager];
        const project = join(folder, `${manager}-${major}`);
        mkdirSync(join(project, "home"), { recursive: true });
        const place = { cwd: project, env: environment([dirname(nodeOf(major)), bin], project) };
        const type = async (words: readonly string[]): Promise<string> => {
          commands += 1;
          const [program, ...first] = start;
          const { code, printed } = await runProgram(program, [...first, ...words], place);
          // the step that an error names, as it is typed
          const [, from, to] = /^next: .*: mv (\S+) (\S+)$/m.exec(printed) ?? [];
          if (code === 0 || from === undefined || to === undefined) return code === 0 ? "" : printed;
          renameSync(from, to);
          return await type(words);
        };
        writeProject(project, world.seedSkill(1), world.tasks(12));
        const [program, ...words] = [...install, tarball];
        const installed = await runProgram(program ?? "", words, place);
        if (installed.code !== 0) throw new Error(`${manager}: ${installed.printed}`);
        for (const kind of kinds)
          for (const [name, write] of Object.entries(configs)) {
            for (const ending of ["json", "ts", "mts", "js", "mjs"])
              rmSync(join(project, `whetstone.config.${ending}`), { force: true });
            writeFileSync(
              join(project, "package.json"),
              JSON.stringify({ ...packageOf(project), type: kind }),
            );
            const models = ["--target", "world/target", "--optimizer", "world/optimizer"];
            const written =
              write === undefined ? await type(["init", ...models, "--base-url", `${server.url}/v1`]) : "";
            const settings = { skill: "./SKILL.md", tasks: "./tasks.jsonl", ...modelsOf(`${server.url}/v1`) };
            if (write !== undefined) writeFileSync(join(project, name), write(JSON.stringify(settings)));
            const said = [["init", written]];
            for (const words of write === undefined ? everyCommand : everyCommand.slice(0, 1))
              said.push([words.join(" "), await type(words)]);
            for (const [typed, printed] of said)
              if (printed !== "")
                faults.push(
                  `Node ${major}, ${manager}, type ${kind ?? "of none"}, ${name}: ${typed}: ${printed}`,
                );
          }
        log(`Node ${major}, ${manager}: ${commands} commands, ${faults.length} faults`);
      }
    const old = spawnSync(nodeOf(20), [join(root, "dist/cli.js"), "plan"], { encoding: "utf8" });
    const isOneLine = /^error node-too-old: .*\n$/.test(old.stderr) && old.stdout === "";
    log(`Node 20: ${old.stderr.trim()}`);
    for (const fault of faults) log(`FAULT: ${fault}`);
    return {
      ok: faults.length === 0 && isOneLine && old.status === 1,
      figures: { commands, faults: faults.length },
    };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const packageOf = (folder: string): object => ({ name: "stranger", dependencies: dependenciesOf(folder) });

/** Keeps the package manager's own fields, so that changing the kind loses nothing. */
function dependenciesOf(folder: string): unknown {
  const written = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
  return written["dependencies"];
}

const modelsOf = (baseURL: string) => ({
  target: "world/target",
  optimizer: "world/optimizer",
  baseURL,
  spend: { usd: 5, calls: 2000 },
});

function writeProject(folder: string, skill: string, tasks: readonly unknown[]): void {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "stranger" }));
  writeFileSync(join(folder, "SKILL.md"), skill);
  writeFileSync(join(folder, "tasks.jsonl"), tasks.map((task) => JSON.stringify(task)).join("\n"));
  // each keeps packages below the project, which is the default except for Yarn
  writeFileSync(join(folder, ".yarnrc.yml"), "nodeLinker: node-modules\nenableTelemetry: false\n");
  writeFileSync(join(folder, "yarn.lock"), "");
}

/** Nothing of the person's own settings and keys. Yarn is the only one that doesn't read npm's. */
function environment(paths: readonly (string | undefined)[], folder: string): Record<string, string> {
  const registry = npm("config", "get", "registry");
  const kept = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "XDG_CACHE_HOME"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    PATH: [...paths.filter((path) => path !== undefined), "/usr/bin", "/bin"].join(delimiter),
    HOME: join(folder, "home"),
    npm_config_registry: registry,
    YARN_NPM_REGISTRY_SERVER: registry,
    CI: "true",
  };
}

/** Installed once into a cache outside the repository, as Node is. */
function installManagers(folder: string): string {
  const cache = join(
    process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
    "whetstone-package-managers",
  );
  mkdirSync(cache, { recursive: true });
  const packages = ["pnpm@12", "@yarnpkg/cli-dist@4", "@oven/bun-linux-x64@1"];
  npm("install", "--prefix", cache, "--no-save", "--no-audit", "--no-fund", "--loglevel=error", ...packages);
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const name of ["pnpm", "yarn"]) symlinkSync(join(cache, "node_modules/.bin", name), join(bin, name));
  symlinkSync(join(cache, "node_modules/@oven/bun-linux-x64/bin/bun"), join(bin, "bun"));
  return bin;
}

const npm = (...words: readonly string[]): string =>
  execFileSync("npm", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
