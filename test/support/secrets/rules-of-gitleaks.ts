import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ForeignRule } from "./foreign-rule.ts";

/** The rules of `config/gitleaks.toml`, which its own generator writes: one notation throughout. */
export function gitleaksRules(folder: string): readonly ForeignRule[] {
  const text = readFileSync(join(folder, "config/gitleaks.toml"), "utf8");
  return text
    .split(/^\[\[rules\]\]$/m)
    .slice(1)
    .flatMap((block) => {
      const id = /^id = "([^"]+)"/m.exec(block)?.[1] ?? "";
      const pattern = /^regex = '''([\s\S]*?)'''/m.exec(block)?.[1];
      // a rule for names of files
      if (pattern === undefined) return [];
      const entropy = Number(/^entropy = ([\d.]+)/m.exec(block)?.[1] ?? 0);
      const words = nameBefore.exec(pattern)?.[1] ?? "";
      return [{ id, pattern, anyCase: false, keywords: wordsOf(words), entropy }];
    });
}

/** Its generator puts the words that must be part of a name between these two. */
const nameBefore = /\[\\w\.-\]\{0,50\}\?\(\?:((?:[^[\]]|\[[^\]]*\])+?)\)\(\?:\[ \\t\\w\.-\]/;

const wordsOf = (choice: string): readonly string[] =>
  choice
    .replaceAll(/\(\?-?i:|[()]/g, "")
    .replaceAll(/\[(.)[^\]]*\]\??/g, "$1")
    .split("|")
    .map((word) => word.replaceAll(/[^\w-]/g, ""))
    .filter((word) => word !== "");
