import { type Json, isObject } from "../json.ts";
import { type Document, Scalar, isMap, isScalar, parseDocument, Document as YamlDocument } from "yaml";
import { canonicalJson } from "../canonical.ts";
import { WhetstoneError } from "../errors.ts";
import { type RegionSpan, findFrontmatter, lineEndOf, withLineEnds, withoutFrontmatter } from "./regions.ts";

/** The leading `---` block of a file, read as plain data: nothing in it can run or refer to anything. */
export type Frontmatter =
  | { readonly kind: "none" }
  | { readonly kind: "read"; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: "broken"; readonly problem: string };

const [mostBytes, mostAliases] = [32 * 1024, 10];

export function readFrontmatter(text: string): Frontmatter {
  const span = yamlSpan(text);
  if (span === null) return { kind: "none" };
  try {
    const fields: unknown =
      parse(text.slice(span.start, span.end)).toJS({ maxAliasCount: mostAliases }) ?? {};
    return isObject(fields)
      ? { kind: "read", fields }
      : { kind: "broken", problem: "it isn't a list of `key: value` lines" };
  } catch (error) {
    return { kind: "broken", problem: sentenceOf(error) };
  }
}

/**
 * Sets the text of one frontmatter field and leaves every other byte of the file unchanged. The field keeps its style
 * if that can express the text. Throws if the field is missing, or shared with another one.
 */
export function withFrontmatterField(text: string, field: string, value: string): string {
  const before = readFrontmatter(text);
  const span = yamlSpan(text);
  if (span === null || before.kind !== "read" || !Object.hasOwn(before.fields, field)) {
    throw new WhetstoneError("skill-invalid", `The frontmatter has no readable field "${field}".`, {
      hint: `Add a line \`${field}: …\` between the two \`---\` lines at the top of the file.`,
    });
  }
  const place = findValue(text.slice(span.start, span.end), field);
  const [start, end] = [span.start + place.start, span.start + place.end];
  const old = text.slice(start, end);
  const gap = /[ \t\n]$/.test(text.slice(0, start)) ? "" : " ";
  for (const written of [inStyle(field, value, place.style, old), JSON.stringify(value)]) {
    const tail = /(?:\r?\n[ \t]*)*$/.exec(old)?.[0] ?? "";
    const after = `${text.slice(0, start)}${gap}${withLineEnds(written, lineEndOf(text))}${tail}${text.slice(end)}`;
    if (changesOnly(field, value, before.fields, text, after)) return after;
  }
  throw new WhetstoneError(
    "skill-invalid",
    `The field "${field}" of the frontmatter can't be changed by itself.`,
    {
      hint: `Write it as a line of its own, \`${field}: "…"\`, without anchors.`,
    },
  );
}

/** The text between the two `---` lines. */
function yamlSpan(text: string): RegionSpan | null {
  const block = findFrontmatter(text);
  if (block === null) return null;
  const start = text.indexOf("\n") + 1;
  return { start, end: Math.max(start, text.lastIndexOf("\n", block.end - 1) + 1) };
}

function parse(yaml: string): Document.Parsed {
  if (yaml.length > mostBytes) throw new RangeError(`it has more than ${mostBytes / 1024} kB`);
  // the parser only warns about an unknown tag; here only plain data is allowed
  const document = parseDocument(yaml, {
    schema: "core",
    version: "1.2",
    uniqueKeys: true,
    stringKeys: true,
  });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw problem;
  return document;
}

function findValue(
  yaml: string,
  field: string,
): RegionSpan & { readonly style: Scalar.Type | null | undefined } {
  const { contents } = parse(yaml);
  if (isMap(contents)) {
    for (const { key, value } of contents.items) {
      if (!isScalar(key) || key.value !== field) continue;
      const { range } = value ?? key;
      if (range == null) continue;
      const [start, end] = value === null ? [range[2], range[2]] : range;
      return { start, end, style: isScalar(value) ? value.type : null };
    }
  }
  return { start: 0, end: 0, style: null };
}

/** The value in that style, as far as possible; a comment after a block's indicator stays. */
function inStyle(field: string, value: string, style: Scalar.Type | null | undefined, old: string): string {
  const scalar = new Scalar(value);
  if (style != null) scalar.type = style;
  const isFolded = style === Scalar.BLOCK_FOLDED;
  const document = new YamlDocument({ [field]: scalar }, { version: "1.2" });
  const written = document
    .toString({ lineWidth: isFolded ? 100 : 0 })
    .slice(field.length + 1)
    .trim();
  const comment =
    style?.startsWith("BLOCK") === true ? /^[|>][^\s#]*([ \t]+#[^\r\n]*)/.exec(old)?.[1] : undefined;
  return comment === undefined ? written : written.replace(/^[|>]\S*|^.*$/, (head) => head + comment);
}

function changesOnly(
  field: string,
  value: string,
  fields: Readonly<Record<string, unknown>>,
  before: string,
  after: string,
): boolean {
  const now = readFrontmatter(after);
  const wanted = { ...fields, [field]: value };
  return (
    now.kind === "read" &&
    canonicalJson(now.fields as Json) === canonicalJson(wanted as Json) &&
    withoutFrontmatter(after) === withoutFrontmatter(before)
  );
}

/** The first line is the message, and the others draw the position. Lines are counted from the top of the file. */
const sentenceOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .replace(/\n[^]*$/, "")
    .replace(/[.:]$/, "")
    .replace(/\bat line (\d+)/, (_, line: string) => `at line ${Number(line) + 1}`);
