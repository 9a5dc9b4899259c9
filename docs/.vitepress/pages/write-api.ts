// Writes docs/api, which is not kept: it is made anew with every build of the site.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiPages, entries } from "./api-pages.ts";
import { root } from "./read-source.ts";

const folder = join(root, "docs/api");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const pages = apiPages();
for (const { name, text } of pages) writeFileSync(join(folder, `${name}.md`), text);
const rows = pages.map(
  ({ name, entry, exported }) =>
    `| [${entry}](./${name}.md) | ${exported.length} | ${entries[entry]?.about} |`,
);
writeFileSync(
  join(folder, "index.md"),
  [
    "# API",
    "",
    "Made from the doc comments of the source.",
    "",
    "| entry | names | |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n"),
);
