import type { Json, JsonObject } from "../core/json.ts";
import { applyPatch } from "../core/skill/apply-edits.ts";
import type { Edit } from "../core/skill/edit.ts";
import { mainText, singleFileSkill } from "../core/skill/skill.ts";
import { drawKind, propose, writeAdvice } from "./hidden-rule-proposal.ts";
import { type OptimizerQuestion, readPool, readSkillText, readTrajectories } from "./hidden-rule-question.ts";

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** Writes one passage for all rules that give a topic the same code. */
export function answerEditor(question: OptimizerQuestion): JsonObject {
  const says = (text: string) => question.office.readSkill(text).held[0]?.topic;
  const rules = readPool(question, "rules").map(({ id, text }) => ({ id: textOf(id), text: textOf(text) }));
  const groups = [...Map.groupBy(rules, ({ id, text }) => says(text) ?? id).values()];
  return {
    passages: groups.map((own) => ({
      rules: own.map(({ id }) => id),
      op: "append",
      content: own.map(({ text }) => text).toSorted((a, b) => a.length - b.length)[0] ?? "",
    })),
  };
}

export function answerCarries(question: OptimizerQuestion): JsonObject {
  const codes = (text: Json | undefined): readonly string[] => textOf(text).match(/\b[A-Z]-\d+\b/g) ?? [];
  const answers = readPool(question, "pairs").map((pair) => {
    const carried = codes(pair["old"]).every((code) => codes(pair["new"]).includes(code));
    return { id: textOf(pair["id"]), carried, missing: carried ? "" : "a code" };
  });
  return { answers };
}

const topicsOfOneShot = 4;

/** Rewrites the skill with proposals for some of the failed topics. */
export function rewriteOnce(question: OptimizerQuestion): JsonObject {
  const edits = readTrajectories(question)
    .slice(0, topicsOfOneShot)
    .map((topic) => propose(question, topic));
  return { reasoning: `${edits.length} kinds of parcel get a rule.`, new_skill: writeAnew(question, edits) };
}

const writeAnew = (question: OptimizerQuestion, edits: readonly Edit[]): string =>
  mainText(applyPatch(singleFileSkill(readSkillText(question)), edits).skill);

/** Writes one line of guidance about a topic of the tasks shown: a known rule, advice, or something misleading. */
export function writeGuidance(question: OptimizerQuestion): JsonObject {
  const { office, shares } = question;
  const random = question.random("guidance");
  const seen = readTrajectories(question).map(({ rule }) => rule);
  const pick = seen[Math.floor(random() * seen.length)];
  if (pick === undefined) return { reasoning: "There is nothing lasting to say.", guidance: "" };
  const kind = drawKind(shares, random());
  if (kind === "harmful")
    return { reasoning: "A firm word helps.", guidance: office.writeOverride(pick, random) };
  const { held } = office.readSkill(readSkillText(question));
  const known = seen.find((rule) => held.includes(rule));
  if (kind === "useful" && known !== undefined) {
    return { reasoning: "This must not be forgotten.", guidance: known.sentence };
  }
  return { reasoning: "This may help.", guidance: writeAdvice(pick, random) };
}

/** Writes notes for the optimizer itself: how many of the tasks shown got better or worse. */
export function writeMemory({ prompt }: OptimizerQuestion): JsonObject {
  const count = (label: string) => prompt.split(`\n[${label}]\n`).length - 1;
  const lines = [
    `Over the last epoch ${count("improved")} tasks improved and ${count("regressed")} became worse.`,
    `${count("persistent failure")} still fail: name their kinds of parcel first.`,
  ];
  return { reasoning: "Counted.", memory: lines.join("\n") };
}

/** For each edit, quotes the first occurrence of its target with enough text around it to be unique. */
export function repairAnchors(question: OptimizerQuestion): JsonObject {
  const skill = readSkillText(question);
  const targets = readPool(question, "edits").map(({ target }) =>
    typeof target === "string" ? lengthenTarget(skill, target) : "",
  );
  return { targets };
}

function lengthenTarget(text: string, target: string): string {
  const at = text.indexOf(target);
  if (at < 0) return target;
  let [start, end] = [at, at + target.length];
  const isAlone = () => text.indexOf(text.slice(start, end), start + 1) < 0;
  while (!isAlone() && end < text.length) end += 1;
  while (!isAlone() && start > 0) start -= 1;
  return text.slice(start, end);
}
