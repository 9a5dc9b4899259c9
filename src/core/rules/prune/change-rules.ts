import { closeGap } from "../../markdown/change-text.ts";
import { removeSpan } from "../../markdown/remove-span.ts";
import { type RegionName, type RegionSpan, findRegions, partAt, replaceRegion } from "../../skill/regions.ts";
import type { Skill } from "../../skill/skill.ts";
import { type SkillPart, type SkillSpan, findIdleIntroductions } from "./find-rules.ts";

/** What becomes of one rule: a shorter text, or nothing. */
export interface PartChange<Span extends SkillSpan = SkillPart> {
  readonly part: Span;
  /** Empty: the rule goes. */
  readonly text: string;
}

export const remove = (rule: SkillPart): PartChange => ({ part: rule, text: "" });

/**
 * The skill with these rules removed or shortened; every other byte stays, but for blank lines that meet, the numbers that
 * follow in a list and a line that would introduce nothing.
 */
export function changeRules(skill: Skill, changes: readonly PartChange<SkillSpan>[]): Skill {
  const files = { ...skill.files };
  for (const file of new Set(changes.map(({ part }) => part.file))) {
    files[file] = changeFile(
      files[file] ?? "",
      changes.filter(({ part }) => part.file === file),
    );
  }
  return { ...skill, files };
}

interface SpanChange extends RegionSpan {
  readonly region?: RegionName | undefined;
  readonly text: string;
}

function changeFile(text: string, changes: readonly PartChange<SkillSpan>[]): string {
  const gone = changes.filter((change) => change.text === "").map(({ part }) => part);
  const spans: readonly SpanChange[] = [
    ...changes.map(({ part: { start, end, region }, text: written }) => ({
      start,
      end,
      region,
      text: written,
    })),
    ...findIdleIntroductions(text, gone).map((span) => ({ ...span, text: "" })),
  ];
  const regions = findRegions(text);
  const names = new Set(spans.flatMap(({ region }) => region ?? []));
  const bodies: [RegionName, string][] = [...names].flatMap((name) => {
    const region = regions.find((one) => one.name === name);
    if (region === undefined) return [];
    const own = spans.filter((span) => span.region === name);
    const body = text.slice(region.bodyStart, region.bodyEnd);
    return [[name, changeSpans(body, own, region.bodyStart)]];
  });
  const outside = changeSpans(
    text,
    spans.filter(({ region }) => region === undefined),
    0,
  );
  return bodies.reduce((changed, [name, body]) => replaceRegion(changed, name, body), outside);
}

/** From the last to the first, so that offsets stay true. */
function changeSpans(text: string, changes: readonly SpanChange[], offset: number): string {
  let changed = text;
  for (const { text: written, ...span } of changes.toSorted((a, b) => b.start - a.start)) {
    const [start, end] = [span.start - offset, span.end - offset];
    const lineEnd = /\r?\n$/.exec(changed.slice(start, end))?.[0] ?? "";
    changed =
      written === ""
        ? removeLines(changed, { start, end })
        : changed.slice(0, start) + written + lineEnd + changed.slice(end);
  }
  return changed;
}

function removeLines(text: string, { start, end }: RegionSpan): string {
  const words = { start, end: start + text.slice(start, end).trimEnd().length };
  return removeSpan(text, partAt(text, start), words) ?? closeGap(text.slice(0, start), text.slice(end));
}
