import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { z } from "zod";
import { configSchema, settingGroups } from "../../src/config/schema.ts";
import { type DefaultFacts, type Setting, type Settings, defaultOf } from "../../src/core/setting.ts";

/** A part of a JSON schema. */
interface Part {
  description?: string;
  default?: unknown;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Part>>;
  readonly additionalProperties?: Part | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  anyOf?: readonly Part[];
}

/** The rules of a config as a JSON schema, with the doc comments of the settings as descriptions. */
export function describeConfig(): Part {
  const schema = z.toJSONSchema(configSchema, { io: "input", unrepresentable: "any" }) as Part;
  const comments = settingComments();
  const rows = rowsByPath(Object.assign({}, ...Object.values(settingGroups)) as Settings);
  const describe = (part: Part, path: string): void => {
    const comment = comments.get(path);
    const row = rows.get(path);
    const standing = row === undefined ? undefined : defaultWords(row);
    if (comment !== undefined)
      part.description = `${comment}${standing === undefined ? "" : ` Default: ${standing}.`}`;
    if (row?.default !== undefined && typeof row.default !== "function") part.default = row.default;
    // what can only be given in code says nothing to an editor
    part.anyOf = part.anyOf?.filter((one) => Object.keys(one).length > 0);
    if (part.anyOf?.length === 1) Object.assign(part, part.anyOf[0], { anyOf: undefined });
    for (const [key, inner] of Object.entries(part.properties ?? {})) describe(inner, joined(path, key));
    if (typeof part.additionalProperties === "object") describe(part.additionalProperties, path);
  };
  describe(schema, "");
  return schema;
}

/** The flags of the command line: read there without loading the schema. */
export function listFlags(schema: Part) {
  return Object.entries(settingGroups).flatMap(([group, rows]) =>
    [...rowsByPath(rows)].flatMap(([path, row]) => {
      const { flag, only } = row;
      const repeats = row.schema instanceof z.ZodArray || path === "prices";
      return flag === undefined
        ? []
        : [
            {
              path,
              group,
              flag,
              about: helpOf(schema, path, row, repeats),
              only,
              repeats,
              values: partAt(schema, path)?.enum?.map(String),
            },
          ];
    }),
  );
}

const partAt = (schema: Part, path: string): Part | undefined =>
  path.split(".").reduce<Part | undefined>((at, key) => at?.properties?.[key], schema);

/** The first sentence of the setting's doc comment, its words and its default. */
function helpOf(schema: Part, path: string, row: Setting, repeats: boolean): string {
  if (row.flagHelp !== undefined) return row.flagHelp;
  const part = partAt(schema, path);
  const [first = ""] = (part?.description ?? "").replaceAll("`", "").split(/\. |\.$/);
  const standing = row.flag?.includes("<") === true ? defaultWords(row) : undefined;
  const more = [
    ...(repeats ? ["may be repeated"] : []),
    ...(part?.enum === undefined ? [] : [part.enum.join(", ")]),
    ...(standing === undefined ? [] : [`default: ${standing}`]),
  ];
  return `${first.slice(0, 1).toLowerCase()}${first.slice(1)}${more.length === 0 ? "" : ` (${more.join("; ")})`}`;
}

/** docs/config.md */
export function writeReference(schema: Part): string {
  const lines = Object.entries(settingGroups).flatMap(([group, rows]) => {
    const keys = Object.keys(rows).filter((key) => key !== "$schema");
    const table = keys.flatMap((key) => tableRows(schema.properties?.[key], key, rowsByPath(rows)));
    return ["", `## ${group}`, "", "| key | value | default | flag | |", "|---|---|---|---|---|", ...table];
  });
  return [
    "# Config",
    "",
    "Every setting of a config file, of the argument of `train` and the other verbs, and of the command line. A JSON file has these",
    'rules in the editor with `"$schema": "./node_modules/whetstone/dist/config.schema.json"`; a TypeScript file with `defineConfig`.',
    "This page is made from `src/core/settings.ts` and `src/config/schema.ts`: `npm run generate`.",
    ...lines,
    "",
  ].join("\n");
}

function tableRows(
  part: Part | undefined,
  path: string,
  rows: ReadonlyMap<string, Setting>,
): readonly string[] {
  if (part === undefined) return [];
  const row = rows.get(path);
  const [about = "", standing = ""] = (part.description ?? "").replace(/\.$/, "").split(/\.? ?Default: /);
  const cells = [
    `\`${path}\``,
    valueWords(part),
    standing.replaceAll("<", "\\<"),
    row?.flag === undefined ? "" : `\`${row.flag}\``,
    about === "" ? "" : `${about}.`,
  ];
  const inner = typeof part.additionalProperties === "object" ? part.additionalProperties : part;
  const below = Object.entries(inner.properties ?? {});
  const name = inner === part ? path : `${path}.<name>`;
  return [
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`,
    ...below.flatMap(([key, one]) => tableRows(one, joined(name, key), rows)),
  ];
}

function valueWords(part: Part): string {
  const { type, minimum, maximum } = part;
  if (part.anyOf !== undefined) return [...new Set(part.anyOf.map(valueWords))].join(" or ");
  if (part.enum !== undefined) return part.enum.map((word) => `\`${word}\``).join(", ");
  if (type === "integer")
    return minimum === undefined || minimum < 0 ? "whole number" : `whole number from ${minimum}`;
  if (type === "number") return maximum === undefined ? "number" : `${minimum} to ${maximum}`;
  if (type === "boolean") return "true or false";
  return { string: "text", array: "list", object: "object" }[type ?? ""] ?? "`auto`";
}

function defaultWords(row: Setting): string | undefined {
  if (row.otherwise !== undefined) return row.otherwise;
  const facts: readonly Partial<DefaultFacts>[] = [
    { effort: "quick" },
    { effort: "thorough" },
    { track: "description" },
  ];
  const usual = defaultOf(row);
  if (usual === undefined) return undefined;
  const others = facts.flatMap((fact) => {
    const value = defaultOf(row, fact);
    return value === usual ? [] : [`; ${Object.values(fact).join()}: ${show(value)}`];
  });
  return `${show(usual)}${others.join("")}`;
}

const show = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const rowsByPath = (rows: Settings, above = ""): ReadonlyMap<string, Setting> =>
  new Map(
    Object.entries(rows).flatMap(([key, row]) => [
      [joined(above, key), row] as const,
      ...rowsByPath(row.rows ?? {}, joined(above, key)),
    ]),
  );

const joined = (above: string, key: string): string => (above === "" ? key : `${above}.${key}`);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** The doc comments of all settings, by path. */
function settingComments(): ReadonlyMap<string, string> {
  const objects = new Map<string, Node>();
  const before = new Map<Node, string>();
  for (const path of ["src/core/settings.ts", "src/config/schema.ts"]) {
    const text = readFileSync(join(import.meta.dirname, "../..", path), "utf8");
    const { program, comments } = parseSync(path, text);
    const docs = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"));
    visit(program, (node) => {
      if (node.type === "VariableDeclarator")
        objects.set((node["id"] as { name: string }).name, node["init"] as Node);
      if (node.type !== "Property") return;
      const doc = docs.find(({ end }) => end <= node.start && text.slice(end, node.start).trim() === "");
      if (doc !== undefined) before.set(node, plainWords(doc.value));
    });
  }
  const found = new Map<string, string>();
  const collect = (node: unknown, above: string): void => {
    visit(node, (inner) => {
      if (inner.type === "Identifier" && objects.has(inner["name"] as string)) {
        const object = objects.get(inner["name"] as string);
        if (object?.type === "ObjectExpression") collect(object, above);
      }
      if (inner.type !== "Property") return;
      const path = joined(above, String((inner["key"] as { name?: string; value?: string }).name));
      const doc = before.get(inner);
      if (doc !== undefined) found.set(path, doc);
      collect(inner["value"], path);
      return false;
    });
  };
  collect(objects.get("settings"), "");
  return found;
}

const plainWords = (comment: string): string =>
  comment
    .slice(1)
    .replaceAll(/\s*\n\s*\*\s?/g, " ")
    .trim()
    .replace(/ ?@default (.*)/, " Default: $1.")
    .trim();

/** Every node below, parents first; `false` leaves out what is inside. */
function visit(value: unknown, look: (node: Node) => boolean | void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, look);
  else if (typeof value === "object" && value !== null) {
    if ("type" in value && look(value as Node) === false) return;
    for (const inner of Object.values(value)) visit(inner, look);
  }
}
