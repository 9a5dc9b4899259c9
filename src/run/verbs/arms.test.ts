import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { memoryJournal } from "../../adapters/journals/memory.ts";
import { hashText } from "../../core/canonical.ts";
import type { Model } from "../../core/ports/model.ts";
import { said } from "../../core/scorers/score-task.ts";
import { type Skill, mainText, singleFileSkill } from "../../core/skill/skill.ts";
import type { Environment } from "../../core/tasks/environment.ts";
import { readRunReport } from "../reports/read-report.ts";
import { compare } from "./compare.ts";

const rule = "Look at your answer again before you give it.";
const [plain, twice] = [singleFileSkill("Answer."), singleFileSkill(`Answer.\n\n- ${rule}`)];

/** Right in half of the first answers, and in nearly all that were looked at again. */
const target: Model = {
  id: "desk/target",
  async generate({ messages }, { key }) {
    const isAgain = messages.length > 1;
    const draw = Number.parseInt(hashText(key).slice(0, 8), 16) / 2 ** 32;
    return {
      text: draw < (isAgain ? 0.97 : 0.5) ? "yes" : "no",
      finish: "stop",
      usage: { inputTokens: 400 + 20 * Math.round(10 * draw), outputTokens: 10 },
    };
  },
};

/** A second turn where the skill asks for one. */
const desk: Environment = {
  name: "desk",
  version: "1",
  throughContext: true,
  async run(task, skill: Skill, { model, score }) {
    const system = mainText(skill);
    const asked = { role: "user", content: task.input } as const;
    const first = await model.generate({ system, messages: [asked] });
    const last = system.includes(rule)
      ? await model.generate({
          system,
          messages: [asked, { role: "assistant", content: first.text }, { role: "user", content: "Again?" }],
        })
      : first;
    const found = await score(task, said(last.text, task));
    if ("kind" in found) return found;
    return { kind: "scored", ...found, conversation: [asked, { role: "assistant", content: last.text }] };
  },
};

const tasks = Array.from({ length: 30 }, (_, at) => ({
  id: `t${at}`,
  input: `Is parcel ${hashText(`parcel ${at}`).slice(0, 20)} there?`,
  answers: ["yes"],
}));

const office = async () => ({
  tasks,
  target,
  environment: desk,
  prices: { "desk/target": { input: 1, output: 4 } },
  cwd: await tempDir(),
  journal: await memoryJournal(),
  trials: 2,
  on: "all" as const,
});

test("a rule that wins points and doubles the turns: both are shown, and the objective refuses it", async () => {
  const options = await office();
  const free = await compare({ ...options, skill: twice, baseline: plain });
  const { verdict, perRollout } = free.summary;
  expect(verdict).toBe("better");
  expect(perRollout).toMatchObject({
    pairs: 60,
    turns: { before: 1, after: 2, ratio: { value: 2 } },
    skillTokens: { before: 2, after: expect.any(Number) },
  });
  expect(perRollout?.tokens.ratio?.low).toBeGreaterThan(1.8);
  expect(perRollout?.nanoUsd?.ratio?.low).toBeGreaterThan(1.8);
  expect(perRollout).not.toHaveProperty("objective");
  expect(free.summary.sentence).toMatch(
    /^Better: .* Each run of the skill takes tokens \+\d+% .*, turns \+100% /,
  );

  const held = await compare({ ...options, skill: twice, baseline: plain, objective: { maxCost: "+10%" } });
  expect(held.summary).toMatchObject({
    verdict: "better",
    perRollout: { objective: { of: "nanoUsd", maxCost: 0.1, found: "above", p: 1 } },
  });
  expect(held.summary.sentence).toContain("exceeds the objective of +10%, so it's not proven");

  const roomy = await compare({
    ...options,
    skill: twice,
    baseline: plain,
    objective: { maxCost: "+150%" },
  });
  expect(roomy.summary.perRollout?.objective?.found).toBe("within");
});

test("the report shows it, and what is exported holds no times", async () => {
  const options = await office();
  const run = await compare({ ...options, skill: twice, baseline: plain });
  expect(run.summary.perRollout?.ms?.before).toBeGreaterThanOrEqual(0);
  const exported = await readFile(join(run.folder, "summary.json"), "utf8");
  expect(JSON.parse(exported).perRollout.turns.after).toBe(2);
  expect(exported).not.toContain('"ms"');
  const report = await readRunReport(options.journal, run.id, run.folder, { journalDir: options.cwd });
  expect(report.sealed?.perRollout?.turns).toMatchObject({ before: 1, after: 2 });
});
