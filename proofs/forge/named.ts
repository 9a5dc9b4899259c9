import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Who can still forge a verdict. Each is a row of the page on pull requests, which a reader finds by these words. */
const stillPossible = {
  "a workflow that a branch changes": /may push a branch with a changed workflow/i,
  "a cache that such a workflow has filled": /cache of their own pull request/i,
  "a step before the action in the same job": /earlier step/i,
  "an endpoint that lies": /runs the endpoint/,
  "a shared journal": /PostgreSQL/,
  "a folder that --journal names": /folder that `--journal` names/,
  "a comment of somebody else": /Everyone who can comment/,
} as const;

export function namedOnThePage(): readonly string[] {
  const page = readFileSync(join(import.meta.dirname, "../../docs/ci.md"), "utf8");
  const [, part = ""] = /^## Who can still forge a verdict\n([^]*?)(?=^## |$(?![^]))/m.exec(page) ?? [];
  return Object.entries(stillPossible).flatMap(([what, words]) =>
    words.test(part) ? [] : [`docs/ci.md doesn't name ${what}`],
  );
}
