import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Where the repository is, as `https://github.com/owner/name`; empty until it exists. */
export const readAddress = (root: string = join(import.meta.dirname, "..")): string =>
  (JSON.parse(readFileSync(join(root, "release/address.json"), "utf8")) as { readonly repository: string })
    .repository;
