import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ForeignRule } from "./foreign-rule.ts";

/** The expressions in the deny lists of `detect_secrets/plugins`. */
export function detectSecretsRules(folder: string): readonly ForeignRule[] {
  const plugins = join(folder, "detect_secrets/plugins");
  return globSync("*.py", { cwd: plugins })
    .toSorted()
    .filter(
      (path) =>
        !["base.py", "__init__.py", "high_entropy_strings.py", "keyword.py", "ip_public.py"].includes(path),
    )
    .flatMap((path) => rulesOfPlugin(basename(path, ".py"), readFileSync(join(plugins, path), "utf8")));
}

function rulesOfPlugin(plugin: string, source: string): readonly ForeignRule[] {
  const text = source.replaceAll(/^\s*#.*$/gm, "");
  const known = new Map<string, string>();
  for (const match of text.matchAll(/^ *(\w+) = (?=r?['"(\w])/gm)) {
    const value = evaluate(text.slice(match.index + match[0].length).split(/\n(?! {8})/)[0] ?? "", known);
    if (value !== undefined) known.set(match[1] ?? "", value);
  }
  return [...text.matchAll(/re\.compile\(|\.build_assignment_regex\(/g)].map((match, at) => {
    const rest = text.slice(match.index + match[0].length);
    const anyCase = /^[\s\S]{0,900}?IGNORECASE/.test(rest.split("re.compile(")[0] ?? "");
    const id = `${plugin} ${at + 1}`;
    if (match[0] === "re.compile(")
      return { id, pattern: evaluate(rest, known), anyCase, keywords: [], entropy: 0 };
    const secret = /secret_regex=(\w+)/.exec(rest)?.[1] ?? "";
    return {
      id,
      pattern: known.get(secret),
      anyCase: true,
      keywords: [plugin.split("_")[0] ?? plugin],
      entropy: 0,
    };
  });
}

/** Texts, names of texts and what `.format` puts into them, one after another or added; undefined for anything else. */
function evaluate(source: string, known: ReadonlyMap<string, string>): string | undefined {
  let rest = source.trimStart();
  let value: string | undefined;
  for (;;) {
    const [piece] = /^(?:r?'(?:[^'\\\n]|\\.)*'|r?"(?:[^"\\\n]|\\.)*"|\w+(?![\w(.]))/.exec(rest) ?? [];
    if (piece === undefined) return value;
    const text = /^r?['"]/.test(piece) ? piece.replace(/^r?['"]/, "").slice(0, -1) : known.get(piece);
    if (text === undefined) return undefined;
    value = (value ?? "") + text;
    rest = rest.slice(piece.length).trimStart();
    const filled = /^\.format\(([^()]*(?:\([^()]*\)[^()]*)*)\)/.exec(rest);
    if (filled !== null) {
      const given = new Map(
        [...(filled[1] ?? "").matchAll(/(\w+)=(\w+)/g)].map((each) => [
          each[1] ?? "",
          known.get(each[2] ?? ""),
        ]),
      );
      if (/\{\}/.test(value)) return undefined;
      value = value
        .replaceAll(/\{([a-z]\w*)\}/g, (whole, name: string) => given.get(name) ?? whole)
        .replaceAll("{{", "{")
        .replaceAll("}}", "}");
      return value;
    }
    if (rest.startsWith("+")) rest = rest.slice(1).trimStart();
    else if (!/^r?['"]/.test(rest)) return value;
  }
}
