import { closeGap } from "../markdown/change-text.ts";
import { type RegionName, findRegions, replaceRegion } from "../skill/regions.ts";
import type { Skill } from "../skill/skill.ts";
import type { SkillRule } from "./find-rules.ts";

/** What becomes of one rule: a shorter text, or nothing. */
export interface RuleChange {
  readonly rule: SkillRule;
  /** Empty: the rule goes. */
  readonly text: string;
}

export const remove = (rule: SkillRule): RuleChange => ({ rule, text: "" });

/** The skill with these rules removed or shortened; every other byte stays, but for blank lines that meet. */
export function changeRules(skill: Skill, changes: readonly RuleChange[]): Skill {
  const files = { ...skill.files };
  for (const file of new Set(changes.map(({ rule }) => rule.file))) {
    files[file] = changeFile(
      files[file] ?? "",
      changes.filter(({ rule }) => rule.file === file),
    );
  }
  return { ...skill, files };
}

function changeFile(text: string, changes: readonly RuleChange[]): string {
  const regions = findRegions(text);
  const names = new Set(changes.flatMap(({ rule }) => rule.region ?? []));
  const bodies: [RegionName, string][] = [...names].flatMap((name) => {
    const region = regions.find((one) => one.name === name);
    if (region === undefined) return [];
    const own = changes.filter(({ rule }) => rule.region === name);
    const body = text.slice(region.bodyStart, region.bodyEnd);
    return [[name, changeSpans(body, own, region.bodyStart)]];
  });
  const outside = changeSpans(
    text,
    changes.filter(({ rule }) => rule.region === undefined),
    0,
  );
  return bodies.reduce((changed, [name, body]) => replaceRegion(changed, name, body), outside);
}

/** From the last to the first, so that offsets stay true. */
function changeSpans(text: string, changes: readonly RuleChange[], offset: number): string {
  let changed = text;
  for (const { rule, text: written } of changes.toSorted((a, b) => b.rule.start - a.rule.start)) {
    const [start, end] = [rule.start - offset, rule.end - offset];
    const lineEnd = /\r?\n$/.exec(changed.slice(start, end))?.[0] ?? "";
    changed =
      written === ""
        ? closeGap(changed.slice(0, start), changed.slice(end))
        : changed.slice(0, start) + written + lineEnd + changed.slice(end);
  }
  return changed;
}
