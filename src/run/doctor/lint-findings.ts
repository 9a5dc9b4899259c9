import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LintFinding } from "../../core/lint/lint-finding.ts";
import { type Linted, lintSkill } from "../../core/lint/lint-skill.ts";
import type { Skill } from "../../core/skill/skill.ts";
import type { Finding } from "./finding.ts";

/** Problems in the skill's text, and its cost in tokens; makes no API calls. */
export function lintFindings(skill: Skill, path: string | undefined): readonly Finding[] {
  const { findings, prices } = lintSkill(skill, path === undefined ? undefined : liesBeside(path));
  const shown = findings.slice(0, mostShown).map(asFinding);
  const left = findings.length - shown.length;
  return [
    { about: "tokens", status: "ok", text: priceText(prices) },
    ...shown,
    ...(left === 0 ? [] : [{ about: "text", status: "warn" as const, text: `and ${left} more like these` }]),
  ];
}

const mostShown = 12;

const asFinding = ({ place, text, next }: LintFinding): Finding => ({
  about: "text",
  status: "warn",
  text: `${place} ${text}`,
  next,
});

const priceText = ({ always, loaded, references }: Linted["prices"]): string =>
  [
    `about ${always} in every prompt`,
    ...(loaded === 0 ? [] : [`${loaded} once loaded`]),
    ...(references === 0 ? [] : [`${references} in references, each when opened`]),
  ].join(", ");

function liesBeside(path: string): (name: string) => boolean {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const folder = isFolder ? path : dirname(path);
  return (name) => existsSync(join(folder, name));
}
