import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { WhetstoneError } from "../../core/errors.ts";

/** The web app, one HTML file in the package; a checkout has it after a build. */
export async function readBuiltApp(): Promise<string> {
  const path = join(
    dirname(createRequire(import.meta.url).resolve("whetstone/package.json")),
    "dist/ui/index.html",
  );
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new WhetstoneError("not-found", `The web app wasn't found at ${path}.`, {
      hint: "In a checkout, `npm run build` builds it; otherwise install whetstone again.",
      cause: error,
    });
  }
}
