/**
 * A conversation ended: its id, as one line, goes into `.whetstone/sleep/ended` of a project that is opted in.
 * Nothing of what was said is read, nothing is sent, and where nobody opted in nothing is written.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const { cwd = "", session_id: id = "" } = JSON.parse(readFileSync(0, "utf8"));
for (let at = cwd; at !== ""; at = dirname(at) === at ? "" : dirname(at)) {
  const folder = join(at, ".whetstone", "sleep");
  if (!existsSync(join(folder, "consent.json"))) continue;
  appendFileSync(join(folder, "ended"), `${String(id).replaceAll(/[^\w-]/g, "")}\n`, { mode: 0o600 });
  break;
}
