import { escapeXml } from "../../adapters/xml-text.ts";
import { verdictWords } from "../../core/verdict-words.ts";
import type { PullRequestCheck, SkillCheck } from "./check-skills.ts";

/** A check as JUnit XML with one case per skill: it fails by `fail-on`, and is skipped if the skill wasn't compared. */
export function junit({ checks }: PullRequestCheck): string {
  const count = (of: (check: SkillCheck) => boolean) => checks.filter(of).length;
  const attributes = [
    `tests="${checks.length}"`,
    `failures="${count(({ fails }) => fails)}"`,
    `errors="${count(isFault)}"`,
    `skipped="${count((check) => check.kind !== "compared" && !check.fails && !isFault(check))}"`,
  ].join(" ");
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="whetstone" ${attributes}>`,
    `  <testsuite name="skills" ${attributes}>`,
    ...checks.map(
      (check) =>
        `    <testcase classname="whetstone" name="${xmlText(check.skill)}">${content(check)}</testcase>`,
    ),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

const isFault = (check: SkillCheck): boolean => check.kind === "not-measured" && check.error !== undefined;

function content(check: SkillCheck): string {
  if (check.kind === "compared") {
    const { verdict, sentence } = check.summary;
    const out = `<system-out>${xmlText(sentence)}</system-out>`;
    return check.fails
      ? `<failure message="${xmlText(verdictWords[verdict].word)}">${xmlText(sentence)}</failure>`
      : out;
  }
  if (check.kind !== "not-measured") return `<skipped message="${xmlText(check.kind)}"/>`;
  const tag = check.error === undefined ? "skipped" : "error";
  return `<${tag} message="${xmlText(check.why)}"/>`;
}

/** Also for attributes; characters that XML doesn't allow are left out. */
const xmlText = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  escapeXml(text.replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F]/g, "")).replaceAll('"', "&quot;");
