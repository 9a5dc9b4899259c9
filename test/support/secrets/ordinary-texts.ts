import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { seededRandom, shuffle } from "../../../src/core/random.ts";

/** Texts without a secret, by where they come from. */
export interface OrdinaryTexts {
  readonly name: string;
  readonly texts: readonly string[];
}

const root = join(import.meta.dirname, "../../..");

/** At most so many files of each kind, drawn from the seed. */
export function ordinaryTexts(seed: number, most: number): readonly OrdinaryTexts[] {
  const find = (patterns: readonly string[], cwd = root): readonly string[] =>
    globSync([...patterns], { cwd, exclude: (path) => cwd === root && /(?:^|\/)dist(?:\/|$)/.test(path) })
      .toSorted()
      .map((path) => join(cwd, path))
      .filter((path) => isText(path));
  const some = (paths: readonly string[]) =>
    shuffle(paths, seededRandom("ordinary files", seed)).slice(0, most).map(read);
  const own = (...patterns: readonly string[]) => some(find(patterns));
  const kinds = [
    {
      name: "this repository: sources",
      // tests of secrets plant some
      texts: own("src/**/!(*.test).ts", "proofs/**/*.ts", "test/**/!(*.test).ts", "ui/src/**/*.{ts,tsx}"),
    },
    {
      name: "this repository: documents",
      texts: own("*.md", "docs/**/*.md", "proofs/*.md", "examples/**/*.{md,jsonl,json,yaml}"),
    },
    { name: "recorded conversations", texts: own("test/fixtures/transcripts/**/*.jsonl") },
    { name: "hashes and ids", texts: [drawnLines(seed).join("\n")] },
    { name: "lockfile", texts: own("package-lock.json") },
    {
      name: "readmes of packages",
      texts: own("node_modules/*/{README,readme}.md", "node_modules/@*/*/{README,readme}.md"),
    },
    ...Object.entries(otherPeoples).map(([name, patterns]) => ({
      name,
      texts: some(find(patterns, join(root, "node_modules"))),
    })),
    { name: "documents of Debian", texts: some(find(["**/*"], "/usr/share/doc")) },
  ];
  // not every machine has documents of Debian
  return kinds.filter(({ texts }) => texts.length > 0);
}

const otherPeoples: Readonly<Record<string, readonly string[]>> = {
  "other people's sources": ["**/{src,lib}/**/*.{js,mjs,cjs,ts}"],
  "other people's built and minified code": ["**/{dist,build,built}/**/*.{js,mjs,cjs}"],
  "other people's changelogs": ["**/{CHANGELOG,HISTORY,History,Changes}*"],
  "other people's JSON": ["**/*.json"],
  "messages in 13 languages": ["typescript/lib/*/*.json", "axe-core/locales/*.json"],
  "other people's styles, pages, images and maps": ["**/*.{css,html,svg,map,yml,yaml,txt}"],
};

/** Not too large, and no link that leads nowhere. */
function isText(path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false });
  return file?.isFile() === true && file.size < 400_000;
}

function read(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
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
