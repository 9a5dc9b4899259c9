// Part of `npm run -s package-checks`: another project uses the packed package. It sees what npm would give it and nothing else of ours.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openClone } from "./open-clone.ts";

const root = join(import.meta.dirname, "../..");
const resolutions = [
  ["esnext", "bundler"],
  ["node16", "node16"],
  ["nodenext", "nodenext"],
] as const;
const folder = mkdtempSync(join(tmpdir(), "whetstone-consumer-"));
try {
  install();
  say("in a hostile clone, it runs and reaches nothing");
  await openClone(join(folder, "node_modules", "whetstone", "dist", "cli.js"));
  for (const [module, moduleResolution] of resolutions) check(module, moduleResolution);
  say("it runs");
  execute(process.execPath, "built/main.js");
  say("its tests run");
  execute(
    process.execPath,
    tool("vitest", "vitest.mjs"),
    "run",
    "built/project.spec.js",
    "--reporter=dot",
    "--testTimeout=60000",
  );
  say("the consumer project compiles and runs");
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The tarball's files, beside the packages that it says it needs and the consumer's own tools. */
function install(): void {
  const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], {
    cwd: root,
    encoding: "utf8",
  }).trim();
  const home = join(folder, "node_modules", "whetstone");
  mkdirSync(home, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, packed), "-C", home, "--strip-components=1"]);
  const { dependencies } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const name of [...Object.keys(dependencies), "@types/node", "vitest"]) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link);
  }
  cpSync(join(import.meta.dirname, "project"), folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", type: "module" }));
}

/** Types of libraries are checked too. */
function check(module: string, moduleResolution: string): void {
  say(`it compiles with moduleResolution ${moduleResolution}`);
  const compilerOptions = {
    module,
    moduleResolution,
    target: "es2022",
    lib: ["es2023", "esnext.disposable"],
    strict: true,
    skipLibCheck: false,
    types: ["node"],
    rootDir: ".",
    outDir: "built",
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["*.ts"], exclude: ["node_modules", "built"] }),
  );
  execute(process.execPath, tool("typescript", "bin/tsc"));
}

function execute(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { cwd: folder, stdio: "inherit", timeout: 120_000 });
}

function tool(name: string, file: string): string {
  return join(root, "node_modules", name, file);
}

function say(what: string): void {
  console.log(what);
}
