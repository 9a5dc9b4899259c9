import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";

const root = join(import.meta.dirname, "../../..");

/** What reads like a translation, by name. */
const patterns: Readonly<Record<string, RegExp>> = {
  "is no": /\b(?:is|are) no\b(?! (?:longer|more))/gi,
  "has not": /\bhas not\b(?! been)/gi,
  anew: /\banew\b/gi,
  whoever: /\bwhoever\b/gi,
  likewise: /\blikewise\b/gi,
  beside: /\bbeside\b/gi,
  mend: /\bmend(?:s|ed|ing)?\b/gi,
  thereof: /\bthereof\b/gi,
  "stands in": /\bstands? (?:in|beside|there|where)\b/gi,
  "taken for": /\btaken? for\b/gi,
  "meant from": /\bmeant from\b/gi,
  "is told": /\b(?:is|are) told\b/gi,
  "a space before %": /[\d}] %/g,
};

/** How often each pattern occurs in what people read: comments, texts in the code, pages. Code words don't count. */
export function countVoice(): Readonly<Record<string, number>> {
  const texts = [...sourceTexts(), ...pageTexts()];
  const sentences = texts.flatMap((text) => text.split(/(?<=[.!?:])\s+(?=[A-Z`"])/));
  const counts = Object.entries(patterns).map(
    ([name, pattern]) => [name, sum(texts, (text) => text.match(pattern)?.length ?? 0)] as const,
  );
  return {
    ...Object.fromEntries(counts),
    "begins with a clause": sum(sentences, (one) => Number(/^(?:What|Who|Where) [^?]*\.$/.test(one.trim()))),
    "more than 30 words": sum(sentences, (one) => Number(one.split(/\s+/).length > 30)),
    "help of more than 80 characters": sum(helpLines(), (line) => Number(line.length > 80)),
  };
}

const sum = <T>(items: readonly T[], count: (item: T) => number): number =>
  items.reduce((all, item) => all + count(item), 0);

const read = (path: string): string => readFileSync(join(root, path), "utf8");

function sourceTexts(): readonly string[] {
  const files = ["src", "ui"].flatMap((folder) =>
    globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] }),
  );
  return files
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .flatMap((path) => {
      const text = read(path);
      const { comments } = parseSync(path, text);
      const code = comments.reduceRight(
        (rest, { start, end }) => rest.slice(0, start) + " ".repeat(end - start) + rest.slice(end),
        text,
      );
      return [...proseOf(comments), ...textsIn(code)];
    });
}

/** Lines of a comment that follow one another are one text. */
const proseOf = (comments: readonly { readonly value: string }[]): readonly string[] =>
  comments.map(({ value }) =>
    value
      .replaceAll(/^\s*\*+ ?/gm, "")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );

/** Texts with a space in them: the others are words of code. */
const textsIn = (code: string): readonly string[] =>
  [...code.matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)]
    .map(([text]) => text.slice(1, -1))
    .filter((text) => /[a-z] [a-z]/i.test(text));

function pageTexts(): readonly string[] {
  return [
    "README.md",
    ...globSync("docs/**/*.md", {
      cwd: root,
      exclude: ["**/node_modules/**", "docs/api/**", "docs/.vitepress/**"],
    }),
  ]
    .map((path) =>
      read(path)
        .replaceAll(/^```[\s\S]*?^```/gm, "")
        .replaceAll(/`[^`\n]*`/g, "`code`"),
    )
    .flatMap((text) => text.split(/\n(?:\s*\n|\s*[-|#])|\|/))
    .map((text) => text.replaceAll(/\s+/g, " ").trim());
}

/** What `--help` prints of a command, an argument, a flag or a setting. */
function helpLines(): readonly string[] {
  const flags = JSON.parse(read("src/config/config-flags.json")) as readonly { readonly about?: string }[];
  const programs = globSync("src/apps/cli/*program.ts", { cwd: root }).map(read).join("\n");
  const said = /\.(?:description|argument|option|requiredOption)\((?:\s*"[^"]*",)?\s*"([^"]*)"/g;
  return [
    ...flags.map(({ about = "" }) => about),
    ...[...programs.matchAll(said)].map(([, line = ""]) => line),
  ];
}
