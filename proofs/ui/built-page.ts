import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";

const root = join(import.meta.dirname, "../..");
const page = join(root, "dist/ui/index.html");

/** The path of the built web app, built anew when one of its sources is younger than it. */
export async function builtPage(log: (line: string) => void): Promise<string> {
  if (!existsSync(page) || statSync(page).mtimeMs < Math.max(...["ui", "src/report"].map(youngest))) {
    log("building the web app, because dist/ui is missing or older than its sources");
    await build({ root: join(root, "ui"), configFile: join(root, "ui/vite.config.ts"), logLevel: "error" });
  }
  return page;
}

function youngest(folder: string): number {
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return Math.max(
    ...files
      .filter((file) => file.isFile() && !/\.test\.tsx?$/.test(file.name))
      .map((file) => statSync(join(file.parentPath, file.name)).mtimeMs),
  );
}
