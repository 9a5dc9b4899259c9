import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { type InstalledPackage, listInstalled } from "./pack/installed.ts";
import { nodeOf } from "./pack/node-versions.ts";
import { contentProblems } from "./pack/package-contents.ts";
import { builtCli } from "./support/built-cli.ts";
import { openBrowser } from "./ui/browse.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "The packed package installs into an empty folder on Node 22 and 24 without a script or a compiler. It takes at most 27 MB and starts in at most three times Node's own time. Its demo leaves a report that opens.";

const root = join(import.meta.dirname, "..");
const mostMegabytes = 27;
const mostStarts = 3;
const thisMajor = Number(process.versions.node.split(".")[0]);

export default async function pack({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const repeats = numberOption(args, "repeats", short ? 7 : 31);
  const majors = args.includes("--this-node") ? [thisMajor] : short ? [turnOf([22, 24])] : [22, 24];
  log("not covered: other operating systems (their workflow runs the same), slow disks, a cold npm cache");
  builtCli(log);
  return await inFolder("pack", async (folder) => {
    const { tarball, files, packedBytes } = packInto(folder);
    const problems = contentProblems(files).map((problem) => `the tarball: ${problem}`);
    log(`the tarball: ${files.length} files, ${megabytes(packedBytes)} MB`);
    const runs = [];
    for (const major of majors) {
      const { found, ...figures } = await tryOn(major, tarball, repeats, log);
      problems.push(...found.map((problem) => `Node ${major}: ${problem}`));
      runs.push(figures);
    }
    for (const problem of problems) log(`WRONG: ${problem}`);
    const late = runs.filter(({ starts }) => starts > mostStarts);
    for (const { major, starts } of late) log(`Node ${major} takes ${starts} times its own start time`);
    return {
      ok: problems.length === 0 && late.length === 0,
      onlyLate: problems.length === 0,
      figures: {
        tarballMegabytes: megabytes(packedBytes),
        files: files.length,
        repeats,
        nodes: runs,
        problems,
      },
    };
  });
}

/** By commit, so that CI sees all of them in time. */
function turnOf(majors: readonly number[]): number {
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  return majors[Number.parseInt(commit.slice(0, 4), 16) % majors.length] ?? thisMajor;
}

function packInto(folder: string) {
  const printed = npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], root);
  const [{ filename, size, files }] = JSON.parse(printed) as [
    { filename: string; size: number; files: readonly { path: string }[] },
  ];
  return { tarball: join(folder, filename), packedBytes: size, files: files.map(({ path }) => path) };
}

const tryOn = (major: number, tarball: string, repeats: number, log: (line: string) => void) =>
  inFolder("pack-home", (home) => tryIn(home, major, tarball, repeats, log));

async function tryIn(
  home: string,
  major: number,
  tarball: string,
  repeats: number,
  log: (line: string) => void,
) {
  const node = nodeOf(major);
  const env = { ...plainEnv(), PATH: [dirname(node), process.env["PATH"]].join(delimiter) };
  writeFileSync(join(home, "package.json"), JSON.stringify({ private: true }));
  npm(["install", "--no-audit", "--no-fund", "--prefer-offline", tarball], home, env);
  const packages = listInstalled(home);
  const onDisk = packages.reduce((sum, { bytes }) => sum + bytes, 0);
  const { version } = JSON.parse(
    spawnSync(node, ["-p", "JSON.stringify(process.versions)"], { encoding: "utf8" }).stdout.replace(
      '"node"',
      '"version"',
    ),
  ) as { version: string };
  log("");
  log(`Node ${version}: ${packages.length} packages, ${megabytes(onDisk)} MB on disk`);
  for (const { name, bytes } of packages.slice(0, 10))
    log(`  ${megabytes(bytes).toFixed(1).padStart(5)}  ${name}`);

  const whetstone = join(home, "node_modules/whetstone");
  const cli = join(whetstone, "dist/cli.js");
  const run = (words: readonly string[]) =>
    spawnSync(node, words, { cwd: home, env, encoding: "utf8", timeout: 300_000 });
  const { starts, help, bareMs } = measureStarts(
    () => timed(() => run(["-e", "0"])),
    (word) => timed(() => run([cli, word])),
    repeats,
  );
  log(
    `  start: --version ${starts} times, --help ${help} times bare Node (${bareMs} ms, median of ${repeats})`,
  );

  const began = performance.now();
  const demo = run([cli, "demo"]);
  const demoMs = performance.now() - began;
  log(
    `  demo: ${Math.round(demoMs / 1000)} s, ${Math.round(demoMs / bareMs)} times bare Node; ${verdictOf(demo.stdout)}`,
  );
  const [report] = globSync(join(home, ".whetstone/runs/*/report.html"));
  const entries = ["whetstone", "whetstone/ports", "whetstone/method", "whetstone/rule", "whetstone/testing"];
  const imported = run([
    "--input-type=module",
    "-e",
    entries.map((entry) => `await import("${entry}");`).join(""),
  ]);
  const schema = run([
    "-p",
    'Object.keys(require("whetstone/config.schema.json").properties).includes("skill")',
  ]);
  const printed = run([cli, "report", "--format", "json"]);
  const found = [
    ...refusals(packages),
    ...(onDisk > mostMegabytes * 1e6
      ? [`${megabytes(onDisk)} MB on disk is more than ${mostMegabytes}`]
      : []),
    ...(demo.status === 0 && verdictOf(demo.stdout).startsWith("better")
      ? []
      : [`the demo ended with ${demo.status}: ${demo.stderr}`]),
    ...(imported.status === 0 ? [] : [`an entry can't be imported: ${imported.stderr}`]),
    ...(schema.stdout.trim() === "true" ? [] : [`the config schema is missing: ${schema.stderr}`]),
    ...(printed.stdout.startsWith("{") ? [] : [`no report of the run: ${printed.stderr}`]),
    ...(report === undefined ? ["the demo left no report"] : await openPage(report, log)),
  ];
  return {
    major,
    version,
    packages: packages.length,
    megabytes: megabytes(onDisk),
    starts,
    help,
    demoStarts: Math.round(demoMs / bareMs),
    found,
  };
}

/** Without `using`, which Node 22 cannot run from sources. */
async function inFolder<T>(name: string, work: (path: string) => Promise<T>): Promise<T> {
  const folder = temporaryDirectory(name);
  try {
    return await work(folder.path);
  } finally {
    folder[Symbol.dispose]();
  }
}

/** Nothing of the person's own settings and keys. */
function plainEnv(): Record<string, string> {
  const kept = [
    "PATH",
    "HOME",
    "USERPROFILE",
    "SystemRoot",
    "TEMP",
    "TMP",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "WHETSTONE_STATE",
    "npm_config_registry",
    // of a network whose registry has a certificate of its own
    "NODE_EXTRA_CA_CERTS",
  ];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

const refusals = (packages: readonly InstalledPackage[]): readonly string[] =>
  packages.flatMap(({ name, scripts, native }) => [
    ...scripts.map((script) => `${name} has a script ${script}`),
    ...native.map((file) => `${name} is native: ${file}`),
  ]);

/** In turns, so that a machine that becomes busy is so for all of them. */
function measureStarts(bare: () => number, start: (word: string) => number, repeats: number) {
  start("--version");
  const rounds = Array.from({ length: repeats }, () => ({
    bare: bare(),
    version: start("--version"),
    help: start("--help"),
  }));
  const middle = (of: (round: (typeof rounds)[number]) => number): number =>
    rounds.map(of).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? Number.NaN;
  const bareMs = middle((round) => round.bare);
  const ratio = (ms: number): number => Math.round((100 * ms) / bareMs) / 100;
  return {
    bareMs: Math.round(bareMs),
    starts: ratio(middle((round) => round.version)),
    help: ratio(middle((round) => round.help)),
  };
}

function timed(run: () => { readonly status: number | null; readonly stderr: string }): number {
  const began = performance.now();
  const { status, stderr } = run();
  if (status !== 0) throw new Error(stderr);
  return performance.now() - began;
}

const verdictOf = (printed: string): string =>
  /^(?:better|worse|not proven|kept).*$/m.exec(printed)?.[0] ?? "no verdict";

async function openPage(path: string, log: (line: string) => void): Promise<readonly string[]> {
  if (!existsSync("/usr/bin/chromium")) {
    log("  chromium isn't installed: the report wasn't opened");
    return readFileSync(path, "utf8").includes("</html>") ? [] : ["the report is incomplete"];
  }
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(pathToFileURL(path).href);
    await page.getByText("better").first().waitFor({ timeout: 60_000 });
    log(`  report.html: ${JSON.stringify(await page.title())}, ${errors.length} errors in its console`);
    return errors.map((error) => `the report's console: ${error}`);
  } finally {
    await browser.close();
  }
}

function npm(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env): string {
  // on Windows npm is a script, which only a shell starts; none of these words needs quoting there but paths
  const isWindows = process.platform === "win32";
  return execFileSync("npm", isWindows ? words.map((word) => `"${word}"`) : words, {
    cwd,
    env,
    encoding: "utf8",
    shell: isWindows,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;
