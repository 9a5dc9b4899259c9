import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const builtFile = join(root, "dist/cli.js");

/** The path of the built command, built anew when a source file is younger than it. */
export function builtCli(log: (line: string) => void): string {
  if (!existsSync(builtFile) || statSync(builtFile).mtimeMs < youngestSource()) {
    log("building the command, because dist/cli.js is missing or older than src");
    const { status, stderr } = spawnSync("npm", ["run", "-s", "build"], { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(`npm run build failed:\n${stderr}`);
  }
  return builtFile;
}

function youngestSource(): number {
  const files = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true });
  return Math.max(
    ...files
      .filter((file) => file.isFile() && file.name.endsWith(".ts") && !file.name.endsWith(".test.ts"))
      .map((file) => statSync(join(file.parentPath, file.name)).mtimeMs),
  );
}
