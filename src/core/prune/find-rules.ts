import { estimateTokens } from "../work/estimate-tokens.ts";
import {
  type RegionName,
  type RegionSpan,
  findFrontmatter,
  findRegions,
  findStrayMarkers,
  forgesMarker,
} from "../skill/regions.ts";
import type { Skill } from "../skill/skill.ts";
import { surfaceOf } from "../skill/surface.ts";

/** A paragraph or a list item of a skill, which can be taken out by itself. */
export interface SkillRule {
  /** `SKILL.md:12`: its file and first line. */
  readonly id: string;
  readonly file: string;
  /** Offsets into the file's text, whole lines. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly tokens: number;
  /** The protected region that it stands in. */
  readonly region?: RegionName;
}

/**
 * What a skill tells its agent, piece by piece: items with all that is nested in them, paragraphs, blocks of code.
 * Headings, frontmatter, comments and a line that only introduces a list stay out. With `since`, only what that
 * earlier version did not say.
 */
export function findRules(skill: Skill, since?: Skill): readonly SkillRule[] {
  const others = Object.keys(skill.files).filter((file) => surfaceOf(file, skill) === "reference");
  const rules = [skill.main, ...others.toSorted()].flatMap((file) => rulesOf(file, skill.files[file] ?? ""));
  if (since === undefined) return rules;
  const known = new Set(findRules(since).map(({ text }) => sameText(text)));
  return rules.filter(({ text }) => !known.has(sameText(text)));
}

const sameText = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Regions are read apart from what is around them. */
  readonly region?: RegionName;
  readonly skipped: boolean;
}

interface Block {
  readonly kind: "paragraph" | "item" | "code";
  readonly first: number;
  last: number;
  /** Columns before an item's marker. */
  readonly indent: number;
}

function rulesOf(file: string, text: string): readonly SkillRule[] {
  const lines = readLines(text);
  return findBlocks(lines).flatMap((block) => {
    const [first, last] = [lines[block.first], lines[block.last]];
    if (first === undefined || last === undefined) return [];
    const span = { start: first.start, end: last.end };
    const content = text.slice(span.start, span.end).trimEnd();
    return [
      {
        id: `${file}:${block.first + 1}`,
        file,
        ...span,
        text: content,
        tokens: estimateTokens(content),
        ...(first.region === undefined ? {} : { region: first.region }),
      },
    ];
  });
}

function readLines(text: string): readonly Line[] {
  const frontmatter = findFrontmatter(text)?.end ?? 0;
  const regions = findRegions(text);
  const stray = findStrayMarkers(text);
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    const touches = (span: RegionSpan) => span.start < end && span.end > start;
    const around = regions.find(touches);
    // only the first region of a name can be written anew, and not with a marker in it
    const isWritable =
      regions.find(({ name }) => name === around?.name) === around &&
      !forgesMarker(text.slice(around?.bodyStart, around?.bodyEnd));
    const isInside = around !== undefined && start >= around.bodyStart && end <= around.bodyEnd;
    lines.push({
      start,
      end,
      text: text.slice(start, end).trimEnd(),
      ...(around !== undefined && isInside ? { region: around.name } : {}),
      skipped:
        start < frontmatter || stray.some(touches) || (around !== undefined && !(isInside && isWritable)),
    });
    start = end;
  }
  return lines;
}

const item = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+\S/;
const heading = /^ {0,3}#{1,6}(?:\s|$)/;
const fence = /^\s*(```+|~~~+)/;
const rule = /^ {0,3}(?:[-*_] *){3,}$/;
const underline = /^ {0,3}(?:=+|-+)$/;

function findBlocks(lines: readonly Line[]): readonly Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let fenced: string | undefined;
  let blank = false;
  const close = () => {
    if (open !== undefined) blocks.push(open);
    open = undefined;
  };
  const start = (kind: Block["kind"], at: number, indent = 0) => {
    close();
    open = { kind, first: at, last: at, indent };
  };
  for (const [at, line] of lines.entries()) {
    const { text } = line;
    if (fenced !== undefined) {
      if (open !== undefined) open.last = at;
      if (text.trim().startsWith(fenced) && text.trim().replaceAll(fenced[0] ?? "", "") === "") {
        fenced = undefined;
        if (open?.kind === "code") close();
      }
      continue;
    }
    const indent = text.length - text.trimStart().length;
    const previous = lines[at - 1];
    if (line.skipped || (previous !== undefined && previous.region !== line.region)) close();
    if (line.skipped) continue;
    if (text === "") {
      if (open?.kind === "paragraph" && !lines[open.last]?.text.endsWith(":")) close();
      blank = true;
      continue;
    }
    const afterBlank = blank;
    blank = false;
    const isNested = open?.kind === "item" && indent > open.indent + 1;
    const opening = fence.exec(text)?.[1];
    if (opening !== undefined) {
      fenced = opening;
      const joins = open !== undefined && (isNested || !afterBlank || open.kind === "paragraph");
      if (joins && open !== undefined) open.last = at;
      else start("code", at);
    } else if (open?.kind === "paragraph" && !afterBlank && underline.test(text)) {
      // what stands above it was a heading
      open = undefined;
    } else if (heading.test(text) || rule.test(text)) {
      close();
    } else if (item.test(text) && !isNested) {
      // what only introduces a list stays with it
      if (open?.kind === "paragraph" && lines[open.last]?.text.endsWith(":")) open = undefined;
      start("item", at, indent);
    } else if (open !== undefined && open.kind !== "code" && (isNested || !afterBlank)) {
      open.last = at;
    } else {
      start("paragraph", at, indent);
    }
  }
  close();
  return blocks.filter((block) => !isComment(lines, block));
}

function isComment(lines: readonly Line[], { first, last }: Block): boolean {
  const text = lines
    .slice(first, last + 1)
    .map((line) => line.text)
    .join("\n")
    .trim();
  return /^<!--[^]*-->$/.test(text);
}
