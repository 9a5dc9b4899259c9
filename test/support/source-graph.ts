import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync } from "vite";

const root = join(import.meta.dirname, "../..");

/** A node of the syntax tree, read without knowing its kind. */
export interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface Source {
  /** From the project's root. */
  readonly path: string;
  readonly body: readonly Node[];
}

/** Every source file of a folder, parsed. */
export function readSources(folder: string): readonly Source[] {
  return globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root, exclude: ["**/node_modules/**", "**/fixtures/**"] })
    .toSorted()
    .map((path) => ({ path, body: bodyOf(path) }));
}

function bodyOf(path: string): readonly Node[] {
  const { program, errors } = parseSync(path, readFileSync(join(root, path), "utf8"));
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  return program.body as unknown as readonly Node[];
}

/** The files of the project that a file imports, types included. */
export function importsOf({ path, body }: Source): readonly string[] {
  return body.flatMap((node) => {
    const from = (node["source"] as Node | null | undefined)?.["value"];
    return typeof from === "string" && from.startsWith(".") ? [normalize(join(dirname(path), from))] : [];
  });
}

/** The packages and modules of Node that a file imports when it is loaded, types left aside. */
export const packagesOf = ({ body }: Source): readonly string[] =>
  body.flatMap((node) => {
    const from = (node["source"] as Node | null | undefined)?.["value"];
    const isType = node["importKind"] === "type" || node["exportKind"] === "type";
    return typeof from === "string" && !from.startsWith(".") && !isType ? [from] : [];
  });

/** What a file imports by name from modules whose name fits. */
export const namesFrom = ({ body }: Source, from: RegExp): readonly string[] =>
  body
    .filter((node) => from.test(String((node["source"] as Node | null | undefined)?.["value"])))
    .flatMap((node) => (node["specifiers"] as readonly Node[] | undefined) ?? [])
    .flatMap((each) => nameOf(each["imported"]) ?? []);

/** Groups of files that import one another, each in alphabetical order. */
export function findCircles(sources: readonly Source[]): readonly (readonly string[])[] {
  const edges = new Map(sources.map((source) => [source.path, importsOf(source)]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): number => {
    const own = index.size;
    index.set(path, own);
    low.set(path, own);
    stack.push(path);
    for (const next of edges.get(path) ?? []) {
      if (!edges.has(next)) continue;
      const reached = index.has(next) ? (stack.includes(next) ? index.get(next) : undefined) : visit(next);
      if (reached !== undefined) low.set(path, Math.min(low.get(path) ?? own, reached));
    }
    if (low.get(path) === own) {
      const circle = stack.splice(stack.indexOf(path));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return low.get(path) ?? own;
  };
  for (const path of edges.keys()) if (!index.has(path)) visit(path);
  return circles;
}

export interface Declared {
  readonly name: string;
  readonly isExported: boolean;
  readonly isType: boolean;
  readonly node: Node;
}

/** What a file declares at its top. */
export const declarationsOf = ({ body }: Source): readonly Declared[] =>
  body.flatMap((node) => {
    const isExported = node.type === "ExportNamedDeclaration" || node.type === "ExportDefaultDeclaration";
    const declared = (isExported ? (node["declaration"] as Node | null) : node) ?? undefined;
    if (declared === undefined) return [];
    const isType = declared.type === "TSInterfaceDeclaration" || declared.type === "TSTypeAliasDeclaration";
    const names = ((declared["declarations"] as readonly Node[] | undefined) ?? [declared]).flatMap(
      (one) => (one["id"] as { name?: string } | undefined)?.name ?? [],
    );
    return names.map((name) => ({ name, isExported, isType, node: declared }));
  });

/** Where each name of a file comes from: its own declarations, and what it imports or passes on. */
export function namesOf(
  source: Source,
): ReadonlyMap<string, { readonly path: string; readonly name: string }> {
  const names = new Map(
    declarationsOf(source).map(({ name }) => [name, { path: source.path, name }] as const),
  );
  for (const node of source.body) {
    const from = (node["source"] as Node | null | undefined)?.["value"];
    if (typeof from !== "string" || !from.startsWith(".")) continue;
    const path = normalize(join(dirname(source.path), from));
    for (const each of (node["specifiers"] as readonly Node[] | undefined) ?? []) {
      const own = nameOf(node.type === "ImportDeclaration" ? each["local"] : each["exported"]);
      const theirs = nameOf(node.type === "ImportDeclaration" ? each["imported"] : each["local"]);
      if (own !== undefined && theirs !== undefined) names.set(own, { path, name: theirs });
    }
  }
  return names;
}

/** The names that a file passes on or exports itself. */
export const exportsOf = (source: Source): readonly string[] => [
  ...declarationsOf(source)
    .filter(({ isExported }) => isExported)
    .map(({ name }) => name),
  ...source.body
    .filter(({ type }) => type === "ExportNamedDeclaration")
    .flatMap((node) => (node["specifiers"] as readonly Node[] | undefined) ?? [])
    .flatMap((each) => nameOf(each["exported"]) ?? []),
];

/** The types that a declaration names where a caller can see them: not in bodies, not in values. */
export function typesNamedBy(declaration: Node): readonly string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(look);
    if (typeof value !== "object" || value === null) return;
    const node = value as Node;
    if (node.type === "BlockStatement" || node.type === "FunctionBody") return;
    const name =
      nameOf(node["typeName"]) ??
      (node.type === "TSInterfaceHeritage" ? nameOf(node["expression"]) : undefined);
    if (name !== undefined) found.add(name);
    for (const [key, child] of Object.entries(node)) if (key !== "init" || isSignature(child)) look(child);
  };
  look(declaration);
  return [...found];
}

/** A value's own text is not seen from outside, but the signature of a function is. */
const isSignature = (value: unknown): boolean => (value as Node | null)?.type === "ArrowFunctionExpression";

const nameOf = (value: unknown): string | undefined => {
  const name = (value as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" ? name : undefined;
};
