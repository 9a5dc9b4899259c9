import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Node, type Source, declarationsOf } from "../source-graph.ts";

const root = join(import.meta.dirname, "../../..");

/** Lines of src and ui, without tests and generated JSON. */
export const countSourceLines = (): number =>
  ["src", "ui"]
    .flatMap((folder) =>
      globSync(`${folder}/**/*`, { cwd: root, exclude: (name) => /node_modules|dist$/.test(name) }),
    )
    .filter((path) => !/\.test\.tsx?$|\.json$/.test(path) && statSync(join(root, path)).isFile())
    .map((path) => readFileSync(join(root, path), "utf8").split("\n").length - 1)
    .reduce((sum, count) => sum + count, 0);

/** Functions of more than so many lines, as `file name`, with their lines; of nested ones each. */
export function longFunctions(source: Source, most: number): ReadonlyMap<string, number> {
  const text = readFileSync(join(root, source.path), "utf8");
  // most files are shorter than that
  if (text.split("\n").length <= most) return new Map();
  const found = new Map<string, number>();
  visit(source.body, "", (node, name) => {
    if (!/^(?:FunctionDeclaration|(?:Arrow)?FunctionExpression)$/.test(node.type)) return;
    const lines = text.slice(Number(node["start"]), Number(node["end"])).split("\n").length;
    if (lines > most) found.set(`${source.path} ${name}`, lines);
  });
  return found;
}

/** Walks a tree with the nearest name that a value was given. */
function visit(value: unknown, name: string, see: (node: Node, name: string) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, name, see);
  if (typeof value !== "object" || value === null || !("type" in value)) return;
  const node = value as Node;
  const named = node["id"] ?? (node.type === "Property" ? node["key"] : undefined);
  const own = (named as { name?: string } | null | undefined)?.name ?? name;
  see(node, own);
  for (const [key, child] of Object.entries(node))
    if (typeof child === "object" && key !== "id") visit(child, own, see);
}

/** Interfaces and object types with more than so many fields of their own, as `file name`. */
export const wideTypes = (source: Source, most: number): readonly string[] =>
  declarationsOf(source)
    .filter(({ isType, node }) => isType && fieldsOf(node).length > most)
    .map(({ name }) => `${source.path} ${name}`);

function fieldsOf(node: Node): readonly unknown[] {
  const body = (node["body"] as Node | undefined)?.["body"];
  const members = (node["typeAnnotation"] as Node | undefined)?.["members"];
  return (body ?? members ?? []) as readonly unknown[];
}

/**
 * Exported types and schemas that describe a rule, as `file name`: by their fields they have its words or its change, along with
 * what it is called.
 */
export const ruleTypes = (source: Source): readonly string[] =>
  declarationsOf(source)
    .filter(
      ({ isType, isExported, node }) =>
        (isType && isExported) || /Schema/.test(JSON.stringify(node["declarations"] ?? "")),
    )
    .filter(({ node }) => {
      const names = new Set([...fieldsOf(node), ...schemaFields(node)].map(nameOfField));
      const isNamed = ["id", "rule", "number"].some((name) => names.has(name));
      return isNamed && ["text", "edit", "change"].some((name) => names.has(name)) && isOfRules(source.path);
    })
    .map(({ name }) => `${source.path} ${name}`);

/** Tasks, messages and wishes have texts and ids too. */
const isOfRules = (path: string): boolean => /rule|prune|offer|report\/model|step-record|edit/.test(path);

function schemaFields(node: Node): readonly unknown[] {
  const found: unknown[] = [];
  visit(node["declarations"], "", (each) => {
    const callee = each["callee"] as { property?: { name?: string } } | undefined;
    const [first] = (each["arguments"] as readonly Node[] | undefined) ?? [];
    if (
      found.length === 0 &&
      /^(?:object|extend)$/.test(callee?.property?.name ?? "") &&
      first?.type === "ObjectExpression"
    )
      found.push(...(first["properties"] as readonly unknown[]));
  });
  return found;
}

const nameOfField = (field: unknown): string | undefined =>
  (field as { readonly key?: { readonly name?: string } }).key?.name;

/** Words that the glossary gives one meaning, and the folders in which names have it. */
const wordHomes: Readonly<Record<string, RegExp>> = {
  plan: /^src\/(?:run\/(?:plan|verbs\/plan)|show\/plan|core\/rehearse|sleep\/night\/plan|apps\/cli\/commands\/plan|core\/gate\/claim\/plan)/,
  place: /^src\/core\/(?:place|work|rehearse)/,
  proposal: /^src\/(?:core\/offer|run\/offer|report|apps|sleep|testing)|^ui/,
  decide: /^src\/core\/loop/,
  rules: /^src\/(?!adapters|config)|^ui/,
};

/** Exported names that use such a word outside of its home, each with the word. */
export function strayNames(source: Source): readonly (readonly [word: string, name: string])[] {
  return declarationsOf(source)
    .filter(({ isExported }) => isExported)
    .flatMap(({ name }) => {
      const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
      return Object.entries(wordHomes)
        .filter(
          ([word, home]) => (words.includes(word) || words.includes(`${word}s`)) && !home.test(source.path),
        )
        .map(([word]) => [word, name] as const);
    });
}
