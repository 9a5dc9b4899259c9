import {
  type Source,
  exportsOf,
  namesOf,
  readSources,
  typesNamedBy,
} from "../../../test/support/source-graph.ts";
import { type Declaration, type Placed, readDeclarations, safe } from "./read-source.ts";

/** The public entries, by the name that they are imported by. */
export const entries: Readonly<Record<string, { readonly path: string; readonly about: string }>> = {
  whetstone: { path: "src/index.ts", about: "The verbs, what they take and what they give." },
  "whetstone/ports": {
    path: "src/ports.ts",
    about:
      "What an implementer needs: of a model, a journal, an executor, an agent, a sandbox, an environment, a scorer or an importer.",
  },
  "whetstone/method": {
    path: "src/method.ts",
    about:
      "The parts of the method as pure functions: edits, budgets, scores, the strict gate, claims, a judge's calibration.",
  },
  "whetstone/rule": {
    path: "src/rule.ts",
    about: "A rule as trainings, prunings and nights offer it, for tools that read their files.",
  },
  "whetstone/testing": {
    path: "src/testing/index.ts",
    about: "Scripted servers and models, worlds with hidden rules, and the suite that a journal must pass.",
  },
  "whetstone/vitest": {
    path: "src/vitest/index.ts",
    about: 'Matchers for tests: `import "whetstone/vitest"`.',
  },
};

/** A page of the API reference: `docs/api/<name>.md`. */
export interface ApiPage {
  readonly name: string;
  readonly entry: string;
  readonly exported: readonly string[];
  readonly text: string;
}

/** One page for each public entry, with every name that it exports, from their doc comments. */
export function apiPages(): readonly ApiPage[] {
  const sources = new Map(readSources("src").map((source) => [source.path, source]));
  const declarations = new Map<string, readonly Declaration[]>();
  const declaredIn = (path: string) => {
    const known = declarations.get(path) ?? readDeclarations(path);
    declarations.set(path, known);
    return known;
  };
  const find = (path: string, name: string): Declaration | undefined => {
    const at = placeOf(sources, path, name);
    return at === undefined ? undefined : declaredIn(at.path).find((declared) => declared.name === at.name);
  };
  const pages = Object.entries(entries).map(([entry, { path }]) => {
    const source = sources.get(path);
    return { entry, path, exported: source === undefined ? [] : exportsOf(source).toSorted(byName) };
  });
  const pageOf = (name: string, here: string): string | undefined =>
    [here, ...Object.keys(entries)].find((entry) =>
      pages.some((page) => page.entry === entry && page.exported.includes(name)),
    );
  return pages.map(({ entry, path, exported }) => {
    const found = exported.map((name) => ({ name, declared: find(path, name) }));
    const link = (name: string) => {
      const page = pageOf(name, entry);
      return page === undefined
        ? []
        : [`[${name}](${page === entry ? "" : `./${fileName(page)}.md`}#${anchor(name)})`];
    };
    const parts = [
      { title: "Functions and values", isIn: (declared: Declaration | undefined) => !isType(declared) },
      { title: "Types", isIn: isType },
    ];
    const text = [
      "---",
      "outline: [2, 3]",
      "---",
      "",
      `# ${entry}`,
      "",
      entries[entry]?.about ?? "",
      ...(entry === "whetstone/vitest" ? matcherLines(declaredIn(path)) : []),
      ...parts.flatMap(({ title, isIn }) => {
        const inside = found.filter(({ declared }) => isIn(declared));
        return inside.length === 0
          ? []
          : ["", `## ${title}`, ...inside.flatMap(({ name, declared }) => nameLines(name, declared, link))];
      }),
      "",
    ].join("\n");
    return { name: fileName(entry), entry, exported, text };
  });
}

const byName = (one: string, other: string): number => one.localeCompare(other, "en");
const fileName = (entry: string): string => entry.replace("/", "-");
const anchor = (name: string): string => name.toLowerCase();

const isType = (declared: Declaration | undefined): boolean =>
  declared?.node.type === "TSInterfaceDeclaration" || declared?.node.type === "TSTypeAliasDeclaration";

/** Follows a name to the file that declares it. */
function placeOf(
  sources: ReadonlyMap<string, Source>,
  path: string,
  name: string,
): { readonly path: string; readonly name: string } | undefined {
  const source = sources.get(path);
  const at = source === undefined ? undefined : namesOf(source).get(name);
  return at === undefined || at.path === path ? at : placeOf(sources, at.path, at.name);
}

function nameLines(
  name: string,
  declared: Declaration | undefined,
  link: (name: string) => readonly string[],
): readonly string[] {
  if (declared === undefined) throw new Error(`${name} is exported and declared nowhere.`);
  const named = typesNamedBy(declared.node as never)
    .filter((type) => type !== name)
    .flatMap(link);
  return [
    "",
    `### ${name}`,
    "",
    ...docLines(declared.doc),
    // highlighted, thousands of lines of types would be half of the site
    isType(declared) ? "```text" : "```ts",
    signatureOf(declared),
    "```",
    ...(named.length === 0 ? [] : ["", `See ${named.join(", ")}.`]),
  ];
}

/** The words of a doc comment, and its example as code. */
function docLines(doc: string): readonly string[] {
  const [words = "", example] = doc.split(/^@example\n?/m);
  const prose = words.replaceAll(/\s*\n(?!\n)\s*/g, " ").trim();
  return [
    ...(prose === "" ? [] : [safe(prose), ""]),
    ...(example === undefined ? [] : ["```ts", example.trim(), "```", ""]),
  ];
}

/** A declaration without bodies. */
function signatureOf({ node, text }: Declaration): string {
  const bodies: Placed[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(look);
    if (typeof value !== "object" || value === null) return;
    const inner = value as Placed;
    const body = inner["body"] as Placed | undefined;
    if (/Function/.test(inner.type ?? "") && body?.start !== undefined) return void bodies.push(body);
    Object.values(inner).forEach(look);
  };
  look(node);
  let [signature, at] = ["", node.start];
  for (const body of bodies) {
    signature += text.slice(at, body.start).replace(/\s*(?:=>)?\s*$/, ";");
    at = body.end;
  }
  return `${signature}${text.slice(at, node.end)}`
    .replace(/;;$/, ";")
    .replace(/^const (\w+) = (async )?(?=[(<])/, (_, name, isAsync = "") => `${isAsync}function ${name}`)
    .replace(/ {2}static \{[^}]*\}\n/, "")
    .trim();
}

/** What `whetstone/vitest` adds to `expect`. */
function matcherLines(declared: readonly Declaration[]): readonly string[] {
  const text = declared[0]?.text ?? "";
  const [, inside = ""] = /declare module "vitest" \{\s*interface [^{]+\{([\s\S]*?)\n {2}\}/.exec(text) ?? [];
  return ["", "## Matchers", "", "```ts", inside.replaceAll(/^ {4}/gm, "").trim(), "```"];
}
