import { closeGap } from "../../markdown/change-text.ts";
import { removeSpan } from "../../markdown/remove-span.ts";
import { type RegionName, type RegionSpan, findRegions, partAt, replaceRegion } from "../../skill/regions.ts";
import type { Skill } from "../../skill/skill.ts";
import { type SkillSpan, findIdleIntroductions } from "./find-rules.ts";

/**
 * The skill without these rules. Every other byte stays, except for adjoining blank lines, the following numbers of a
 * list, and a line that would introduce nothing.
 */
export function removeRules(skill: Skill, rules: readonly SkillSpan[]): Skill {
  const files = { ...skill.files };
  for (const [file, own] of Map.groupBy(rules, (rule) => rule.file))
    files[file] = removeFrom(files[file] ?? "", own);
  return { ...skill, files };
}

function removeFrom(text: string, rules: readonly SkillSpan[]): string {
  const spans = [...rules, ...findIdleIntroductions(text, rules)];
  const spansIn = (name?: RegionName) => spans.filter(({ region }) => region === name);
  const regions = findRegions(text);
  const names = new Set(spans.flatMap(({ region }) => region ?? []));
  const bodies: [RegionName, string][] = [...names].flatMap((name) => {
    const region = regions.find((one) => one.name === name);
    if (region === undefined) return [];
    const body = text.slice(region.bodyStart, region.bodyEnd);
    return [[name, removeSpans(body, spansIn(name), region.bodyStart)]];
  });
  const outside = removeSpans(text, spansIn(), 0);
  return bodies.reduce((changed, [name, body]) => replaceRegion(changed, name, body), outside);
}

/** From last to first, so that offsets stay valid. */
const removeSpans = (text: string, spans: readonly RegionSpan[], offset: number): string =>
  spans
    .toSorted((a, b) => b.start - a.start)
    .reduce((left, { start, end }) => removeLines(left, { start: start - offset, end: end - offset }), text);

function removeLines(text: string, { start, end }: RegionSpan): string {
  const words = { start, end: start + text.slice(start, end).trimEnd().length };
  return removeSpan(text, partAt(text, start), words) ?? closeGap(text.slice(0, start), text.slice(end));
}
