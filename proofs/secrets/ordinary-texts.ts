import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../src/core/random.ts";

/** Texts without a secret, by where they come from. */
export interface OrdinaryTexts {
  readonly name: string;
  readonly texts: readonly string[];
}

const root = join(import.meta.dirname, "../..");

export function ordinaryTexts(seed: number): readonly OrdinaryTexts[] {
  const read = (...patterns: readonly string[]) =>
    globSync([...patterns], { cwd: root, exclude: (path) => /(?:^|\/)dist(?:\/|$)/.test(path) })
      .toSorted()
      .map((path) => readFileSync(join(root, path), "utf8"));
  return [
    {
      name: "this repository: sources",
      texts: read("src/**/*.ts", "proofs/**/*.ts", "test/**/*.ts", "ui/src/**/*.{ts,tsx}"),
    },
    {
      name: "this repository: documents",
      texts: read("*.md", "docs/**/*.md", "proofs/*.md", "examples/**/*.{md,jsonl,json,yaml}"),
    },
    {
      name: "readmes of packages",
      texts: read("node_modules/*/{README,readme}.md", "node_modules/@*/*/{README,readme}.md"),
    },
    { name: "recorded conversations", texts: read("test/fixtures/transcripts/**/*.jsonl") },
    { name: "hashes and ids", texts: [drawnLines(seed).join("\n")] },
    { name: "lockfile", texts: read("package-lock.json") },
  ];
}

/** What is random and no secret: commits, UUIDs, digests, images, versions. */
function drawnLines(seed: number): readonly string[] {
  const random = seededRandom("ordinary", seed);
  const hex = (length: number) =>
    Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join("");
  const uuid = () => [8, 4, 4, 4, 12].map(hex).join("-");
  const base64 = (bytes: number) => Buffer.from(hex(2 * bytes), "hex").toString("base64");
  return Array.from({ length: 250 }, () => [
    `commit ${hex(40)} (HEAD -> main)`,
    `${hex(7)} Token refresh: keep the session key (#${Math.floor(random() * 900)})`,
    `index ${hex(7)}..${hex(7)} 100644`,
    `"id": "${uuid()}",`,
    `request_id=${uuid()} status=200 duration=${Math.floor(random() * 900)}ms`,
    `sha256:${hex(64)}`,
    `![a diagram](data:image/png;base64,${base64(60)})`,
    `<img alt="token flow" src="data:image/gif;base64,${base64(48)}">`,
    `FROM node@sha256:${hex(64)}`,
    `etag: W/"${hex(20)}"`,
    `"integrity": "sha512-${base64(64)}",`,
    `uses: actions/checkout@${hex(40)} # v4.${Math.floor(random() * 9)}.1`,
  ]).flat();
}
