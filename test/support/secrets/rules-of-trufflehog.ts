import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ForeignRule } from "./foreign-rule.ts";

/** The expressions of `pkg/detectors`, one for each variable that holds one. */
export function trufflehogRules(folder: string): readonly ForeignRule[] {
  const detectors = join(folder, "pkg/detectors");
  const constants = constantsIn(readFileSync(join(folder, "pkg/common/patterns.go"), "utf8"));
  const files = globSync("*/**/*.go", { cwd: detectors }).filter((path) => !path.endsWith("_test.go"));
  return files.toSorted().flatMap((path) => {
    const text = readFileSync(join(detectors, path), "utf8");
    return [...text.matchAll(/^[ \t]*(?:var )?(\w+)\s*:?=\s*regexp\.MustCompile\(/gm)].map((match) => {
      const { pattern, keywords } = readExpression(text.slice(match.index + match[0].length), constants);
      return { id: `${dirname(path)} ${match[1] ?? ""}`, pattern, anyCase: false, keywords, entropy: 0 };
    });
  });
}

type Constants = ReadonlyMap<string, string>;

const constantsIn = (text: string): Constants =>
  new Map(
    [...text.matchAll(/^\s*(\w+)\s*=\s*(?:`([^`]*)`|"([^"]*)")/gm)].map((each) => [
      each[1] ?? "",
      each[2] ?? each[3] ?? "",
    ]),
  );

/** Texts, constants and the two helpers that build expressions, added up to the closing bracket; else it is not read. */
function readExpression(text: string, constants: Constants): Pick<ForeignRule, "pattern" | "keywords"> {
  let rest = text.trimStart();
  let pattern = "";
  const keywords: string[] = [];
  const take = (expression: RegExp): RegExpExecArray | null => {
    const found = expression.exec(rest);
    if (found !== null) rest = rest.slice(found[0].length).trimStart();
    return found;
  };
  for (;;) {
    const literal = take(/^`([^`]*)`/)?.[1] ?? unquote(take(/^"((?:[^"\\]|\\.)*)"/)?.[1]);
    const words = literal === undefined ? take(/^detectors\.PrefixRegex\(\[\]string\{([^}]*)\}\)/) : null;
    const built =
      words === null && literal === undefined
        ? take(/^common\.BuildRegex\(([^,]+), "([^"]*)", (\d+)\)/)
        : null;
    const constant =
      literal === undefined && words === null && built === null
        ? take(/^(?:common\.)?(\w+)/)?.[1]
        : undefined;
    if (literal !== undefined) pattern += literal;
    else if (words !== null)
      keywords.push(...[...(words[1] ?? "").matchAll(/"([^"]*)"/g)].map((each) => each[1] ?? ""));
    else if (built !== null) {
      const [, name = "", special = "", length = ""] = built;
      const set = constants.get(name.replace("common.", "")) ?? name.replaceAll('"', "");
      pattern += `([${set}${special}]{${length}})`;
    } else {
      const value = constants.get(constant ?? "");
      if (value === undefined) return { pattern: undefined, keywords };
      pattern += value;
    }
    if (take(/^\)/) !== null) return { pattern, keywords };
    if (take(/^\+/) === null) return { pattern: undefined, keywords };
  }
}

const unquote = (text: string | undefined): string | undefined =>
  text === undefined
    ? undefined
    : text.replaceAll(/\\(.)/g, (_, sign: string) => ({ n: "\n", t: "\t", r: "\r" })[sign] ?? sign);
