import { estimateTokens } from "../../work/estimate-tokens.ts";
import { type MarkdownBlock, readBlocks } from "../../markdown/blocks.ts";
import {
  type RegionName,
  type RegionSpan,
  findOpenParts,
  findRegions,
  findStrayMarkers,
  forgesMarker,
} from "../../skill/regions.ts";
import type { Skill } from "../../skill/skill.ts";
import { surfaceOf } from "../../skill/surface.ts";

/** A part of a file of a skill. */
export interface SkillSpan {
  readonly file: string;
  /** Offsets into the file's text, as whole lines. */
  readonly start: number;
  readonly end: number;
  /** The protected region that contains it. */
  readonly region?: RegionName | undefined;
}

/** A paragraph or list item of a skill that can be removed by itself. */
export interface SkillPart extends SkillSpan {
  /** `SKILL.md:12`: its file and first line. */
  readonly id: string;
  readonly text: string;
  readonly tokens: number;
}

/**
 * A skill's instructions, piece by piece: items with everything nested in them, paragraphs, blocks of code. Leaves out
 * headings, frontmatter, comments and lines that only introduce a list. With `since`, only pieces that the earlier
 * version didn't have.
 */
export function findRules(skill: Skill, since?: Skill): readonly SkillPart[] {
  const others = Object.keys(skill.files).filter((file) => surfaceOf(file, skill) === "reference");
  const rules = [skill.main, ...others.toSorted()].flatMap((file) => rulesOf(file, skill.files[file] ?? ""));
  if (since === undefined) return rules;
  const known = new Set(findRules(since).map(({ text }) => sameText(text)));
  return rules.filter(({ text }) => !known.has(sameText(text)));
}

const sameText = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

function rulesOf(file: string, text: string): readonly SkillPart[] {
  const stray = findStrayMarkers(text);
  return findParts(text).flatMap(({ region, ...part }) =>
    joinPieces(readBlocks(text, part))
      .filter(({ start, end }) => !stray.some((marker) => marker.start < end && marker.end > start))
      .map((span) => {
        const content = text.slice(span.start, span.end).trimEnd();
        return {
          id: `${file}:${text.slice(0, span.start).split("\n").length}`,
          file,
          ...span,
          text: content,
          tokens: estimateTokens(content),
          ...(region === undefined ? {} : { region }),
        };
      }),
  );
}

/** The parts that can contain rules: around the regions, and inside those that can be rewritten. */
function findParts(text: string): readonly (RegionSpan & { readonly region?: RegionName })[] {
  const regions = findRegions(text);
  // only the first region of a name can be rewritten, and not with a marker in it
  const inside = regions
    .filter(
      (one) =>
        regions.find(({ name }) => name === one.name) === one &&
        !forgesMarker(text.slice(one.bodyStart, one.bodyEnd)),
    )
    .map(({ name, bodyStart, bodyEnd }) => ({ start: bodyStart, end: bodyEnd, region: name }));
  return [...findOpenParts(text), ...inside].toSorted((a, b) => a.start - b.start);
}

/** Joins pieces that go together. A line that only introduces a list is left out; one before anything else is joined. */
function joinPieces(blocks: readonly MarkdownBlock[]): readonly RegionSpan[] {
  const pieces: (RegionSpan & { readonly last: MarkdownBlock })[] = [];
  for (const [at, block] of blocks.entries()) {
    const { kind, start, end } = block;
    if (kind === "heading" || kind === "rule" || kind === "comment") continue;
    if (isIntroduction(block) && blocks[at + 1]?.kind === "item") continue;
    const before = pieces.at(-1);
    const isPart =
      before !== undefined &&
      before.last === blocks[at - 1] &&
      kind !== "item" &&
      (isIntroduction(before.last) || (kind !== "paragraph" && before.end === start));
    if (isPart) pieces.pop();
    pieces.push({ start: isPart ? before.start : start, end, last: block });
  }
  return pieces.map(({ start, end }) => ({ start, end }));
}

/** Lines that introduce a list of which nothing is left without these rules. Lines that say more than that stay. */
export function findIdleIntroductions(
  text: string,
  gone: readonly Pick<SkillSpan, "start">[],
): readonly (RegionSpan & { readonly region?: RegionName })[] {
  const isGone = (item: MarkdownBlock) => gone.some(({ start }) => start === item.start);
  return findParts(text).flatMap(({ region, ...part }) => {
    const blocks = readBlocks(text, part);
    return blocks.flatMap((block, at) => {
      const { start, end } = block;
      if (!isIntroduction(block) || /[.!?]\s/.test(text.slice(start, end))) return [];
      const below = blocks.slice(at + 1);
      const next = below.findIndex(({ kind }) => kind !== "item");
      const items = next < 0 ? below : below.slice(0, next);
      return items.length > 0 && items.every(isGone) ? [{ start, end, region }] : [];
    });
  });
}

const isIntroduction = ({ kind, lines }: MarkdownBlock): boolean =>
  kind === "paragraph" && lines.at(-1)?.text.trimEnd().endsWith(":") === true;
