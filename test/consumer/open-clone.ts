import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { hostileFolder, listenAsPostgres, readers } from "../support/hostile-folder.ts";

/**
 * Types every command that reads, and `mcp`, in a hostile clone. The package has none of its optional packages next to it, so
 * whatever loads one of them has it from the clone. Throws where one was loaded, or where anybody connected.
 */
export async function openClone(cli: string): Promise<void> {
  const database = await listenAsPostgres();
  const folder = mkdtempSync(join(tmpdir(), "whetstone-clone-"));
  try {
    const [clone, marks, home] = ["clone", "marks", "home"].map((name) => join(folder, name));
    if (clone === undefined || marks === undefined || home === undefined) return;
    for (const path of [marks, home]) mkdirSync(path);
    for (const [path, text] of Object.entries(hostileFolder(database.port))) {
      mkdirSync(dirname(join(clone, path)), { recursive: true });
      writeFileSync(join(clone, path), text);
    }
    const env = { PATH: process.env["PATH"], HOME: home, MARKS: marks, PGPASSWORD: "prod-db-secret" };
    const faults = [];
    for (const [words, args] of [...readers, ["mcp", ["mcp"]] as const]) {
      const said = await type([cli, ...args], { cwd: clone, env });
      const ran = readdirSync(marks);
      for (const name of ran) rmSync(join(marks, name));
      if (ran.length > 0) faults.push(`${words} ran the clone's ${ran.join(", ")}`);
      if (database.heard.splice(0).length > 0) faults.push(`${words} connected to the clone's database`);
      if (said.includes("error: unknown")) faults.push(`${words} isn't typed like this: ${said}`);
    }
    if (faults.length > 0) throw new Error(faults.join("\n"));
    // the marks are where they are looked for
    await type(["-e", 'require("./node_modules/pg")'], { cwd: clone, env });
    if (readdirSync(marks).join() !== "pg") throw new Error("A package of the clone leaves no mark.");
  } finally {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function type(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      // the server of `ui` would wait for a browser
      if (args.includes("ui") && said.includes("http://")) child.kill("SIGINT");
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("close", () => done(said));
  });
}
