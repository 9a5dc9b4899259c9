import { WhetstoneError } from "../errors.ts";

/** Parts of a skill file that whetstone writes, and that analysts' edits must leave alone. */
export type RegionName = (typeof regionNames)[number];

export const regionNames = ["slow-update", "appendix", "learned"] as const;

/** Offsets into the text; `start` and `end` include the markers, the body does not. */
export interface Region {
  readonly name: RegionName;
  readonly start: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
  readonly end: number;
}

export interface RegionSpan {
  readonly start: number;
  readonly end: number;
}

/** Every well-formed region, in order. `findStrayMarkers` finds unpaired markers. */
export const findRegions = (text: string): readonly Region[] => pairMarkers(text).regions;

/** Markers that open or close nothing: a nested start, an end without a start, a start without an end. */
export const findStrayMarkers = (text: string): readonly RegionSpan[] => pairMarkers(text).stray;

/** Whether proposed text contains anything that a person or a parser could mistake for one of our markers. */
export const forgesMarker = (text: string): boolean => countMarkerLikes(text) > 0;

/** The number of places where a person or a parser could see one of our markers, including real ones. */
export const countMarkerLikes = (text: string): number =>
  text.normalize("NFKC").match(markerLike)?.length ?? 0;

/** The trimmed body of the first region with that name, or null without one. */
export function readRegion(text: string, name: RegionName): string | null {
  const region = findRegions(text).find((each) => each.name === name);
  return region === undefined ? null : text.slice(region.bodyStart, region.bodyEnd).trim();
}

/** Gives the first region with that name a new body. A text without one gets it at its end. */
export function replaceRegion(text: string, name: RegionName, body: string): string {
  if (forgesMarker(body)) {
    throw new WhetstoneError("skill-invalid", `The new text of region "${name}" contains a region marker.`, {
      hint: "Remove every `whetstone:…:start` and `whetstone:…:end` comment from it.",
    });
  }
  const lineEnd = lineEndOf(text);
  const lines = withLineEnds(body.trim(), lineEnd);
  const block = [`<!-- whetstone:${name}:start -->`, lines, `<!-- whetstone:${name}:end -->`]
    .filter((part) => part !== "")
    .join(lineEnd);
  const region = findRegions(text).find((each) => each.name === name);
  if (region !== undefined) return text.slice(0, region.start) + block + text.slice(region.end);
  const head = text.trimEnd();
  return `${head}${head === "" ? "" : lineEnd + lineEnd}${block}${lineEnd}`;
}

/** The leading `---` block of a file, or null. It ends with its closing line, without the line end. */
export function findFrontmatter(text: string): RegionSpan | null {
  const found = /^\uFEFF?---[ \t]*\r?\n(?:[^]*?\n)??---[ \t]*(?=\r?\n|$)/.exec(text);
  return found === null ? null : { start: 0, end: found[0].length };
}

/** The parts of a text that edits may change: before, between and after frontmatter and regions, including empty ones. */
export function findOpenParts(text: string): readonly RegionSpan[] {
  const regions = findRegions(text);
  const starts = [findFrontmatter(text)?.end ?? 0, ...regions.map(({ end }) => end)];
  return starts.map((start, at) => ({ start, end: regions[at]?.start ?? text.length }));
}

/** The part outside frontmatter and regions that contains an offset. */
export const partAt = (text: string, offset: number): RegionSpan =>
  findOpenParts(text).find(({ start, end }) => start <= offset && offset < end) ?? {
    start: 0,
    end: text.length,
  };

/** The text after the frontmatter, or all of it if there's none. */
export const withoutFrontmatter = (text: string): string => text.slice(findFrontmatter(text)?.end ?? 0);

/**
 * Finds a change to protected parts between two versions of a file: its frontmatter, its regions and their markers.
 * Applies to edits and whole rewrites alike.
 */
export function findBrokenProtection(
  before: string,
  after: string,
): "frontmatter" | "protected-region" | null {
  if (frontmatterText(before) !== frontmatterText(after)) return "frontmatter";
  const [old, now] = [protectedTexts(before), protectedTexts(after)];
  return old.length === now.length && old.every((text, at) => text === now[at]) ? null : "protected-region";
}

/** A file's line end: that of its first line. */
export const lineEndOf = (text: string): "\r\n" | "\n" =>
  /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n";

export const withLineEnds = (text: string, lineEnd: "\r\n" | "\n"): string =>
  text.replaceAll(/\r?\n/g, lineEnd);

const marker = new RegExp(`<!-- whetstone:(${regionNames.join("|")}):(start|end) -->`, "g");

// wider than `marker` on purpose: nobody has an honest reason to write something so similar; the gap between the words
// is limited, so that no run of signs takes long
const markerLike =
  /whetstone[^\p{L}\p{N}]{0,20}:[^\p{L}\p{N}]{0,20}[\w-]{1,40}[^\p{L}\p{N}]{0,20}:[^\p{L}\p{N}]{0,20}(?:start|end)/giu;

function pairMarkers(text: string): {
  readonly regions: readonly Region[];
  readonly stray: readonly RegionSpan[];
} {
  const regions: Region[] = [];
  const stray: RegionSpan[] = [];
  let open: (RegionSpan & { readonly name: RegionName }) | undefined;
  for (const found of text.matchAll(marker)) {
    const [whole, , side] = found;
    const name = regionNames.find((each) => each === found[1]);
    const span = { start: found.index, end: found.index + whole.length };
    if (side === "start" && open === undefined && name !== undefined) {
      open = { ...span, name };
    } else if (side === "end" && open !== undefined && open.name === name) {
      const bounds = { start: open.start, bodyStart: open.end, bodyEnd: span.start, end: span.end };
      regions.push({ name: open.name, ...bounds });
      open = undefined;
    } else {
      stray.push(span);
    }
  }
  if (open !== undefined) stray.push({ start: open.start, end: open.end });
  return { regions, stray };
}

function frontmatterText(text: string): string | null {
  const span = findFrontmatter(text);
  return span === null ? null : text.slice(span.start, span.end);
}

function protectedTexts(text: string): readonly string[] {
  const { regions, stray } = pairMarkers(text);
  return [...regions, ...stray].map(({ start, end }) => text.slice(start, end));
}
