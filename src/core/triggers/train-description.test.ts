import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { train } from "../../run/verbs/train.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { triggerWorld } from "../../../test/support/trigger-world.ts";
import type { Edit } from "../skill/edit.ts";
import { mainText, singleFileSkill } from "../skill/skill.ts";
import { update } from "../stages/update.ts";
import { viewDescription } from "./train-description.ts";
import { triggerEnvironment } from "./trigger-environment.ts";

const world = triggerWorld({ seed: 4, proposals: { useful: 1, useless: 0, harmful: 0 } });

async function trainInWorld() {
  const server = await startScriptedServer({ seed: 4, world });
  onTestFinished(() => server.close());
  const files = Object.entries(world.neighbours).map(([name, text]) => [`${name}/SKILL.md`, text]);
  const dir = await tempDir({
    ...Object.fromEntries(files),
    "parcel-customs/SKILL.md": world.skill(),
    "parcel-customs/references/forms.md": "Form 7 is blue.\n",
  });
  const run = await train({
    track: "description",
    skill: join(dir, "parcel-customs"),
    neighbours: Object.keys(world.neighbours).map((name) => join(dir, name)),
    tasks: world.tasks(90),
    split: "1:1:1",
    target: "office/target",
    optimizer: "office/optimizer",
    baseURL: `${server.url}/v1`,
    spend: { calls: 5000 },
    epochs: 2,
    batchSize: 15,
    trials: 2,
    journal: join(dir, "journal"),
  });
  return { run, server };
}

test("the description is trained through gate and sealed test, and nothing else of the folder changes", async () => {
  const { run, server } = await trainInWorld();
  const { best, summary, folder } = run;
  expect(summary.accepted).toBeGreaterThan(0);
  expect(best.text).not.toBe(world.skill());
  const rest = (text: string) => text.replace(/^description: .*\n/m, "");
  expect(rest(best.text)).toBe(rest(world.skill()));
  expect(best.skill.files["references/forms.md"]).toBe("Form 7 is blue.\n");
  const { val, test: sealed } = summary.triggers ?? {};
  expect(val?.before).toMatchObject({ rollouts: 30 });
  expect(sealed?.before.rollouts).toBe(60);
  expect(sealed?.after?.rollouts).toBe(60);
  expect(sealed?.after?.recall).toBeGreaterThan(sealed?.before.recall ?? 1);
  const written = JSON.parse(await readFile(join(folder, "summary.json"), "utf8")) as typeof summary;
  expect(written.triggers).toEqual(summary.triggers);
  expect(await readFile(join(folder, "best_skill/SKILL.md"), "utf8")).toBe(best.text);
  const report = JSON.parse(await readFile(join(folder, "steps/step_0000/edit_apply_report.json"), "utf8"));
  expect(report).toContainEqual(expect.objectContaining({ file: "description", applied: true }));
  expect(await readFile(join(folder, "steps/step_0000/candidate_skill/SKILL.md"), "utf8")).toContain(
    "# parcel-customs",
  );
  expect(server.calls.length).toBeGreaterThan(0);
});

const skill = singleFileSkill("---\nname: forms\ndescription: Fills in forms.\n---\n\nUse the blue pen.\n");

function view(prompts: Readonly<Record<string, string>> = {}) {
  return async (answer = "{}") => {
    const context = await scriptedContext(() => answer, { track: "description", prompts });
    const neighbours = [singleFileSkill("---\nname: labels\ndescription: Prints labels.\n---\n\nBody.\n")];
    const environment = triggerEnvironment(neighbours);
    const seen = viewDescription({ skill, environment, settings: context.settings, neighbours });
    return { seen, context: { ...context, settings: seen.settings } };
  };
}

test("the optimizer is told what is trained, also by instructions of a person's own", async () => {
  const { seen } = await view({ analyst_error: "Think twice." })();
  expect(mainText(seen.skill)).toBe("Fills in forms.");
  const { analyst_error: replaced, merge_final: merge, analyst_success: own } = seen.settings.prompts;
  for (const text of [replaced, merge, own]) {
    expect(text).toContain("the description of the skill forms");
    expect(text).toContain("Use the blue pen.");
    expect(text).toContain("- labels: Prints labels.");
  }
  expect(replaced).toMatch(/^Think twice\./);
});

const place = { role: "optimizer", step: 1, stage: "update" } as const;

test("edits that would break the rules of a description are refused one by one", async () => {
  const { seen, context } = await view()();
  const edit = (op: Edit["op"], rest: Partial<Edit>): Edit => ({ op, evidence: [], ...rest });
  const edits = [
    edit("append", { content: "Use for <b>tax</b> forms." }),
    edit("append", { content: "x".repeat(1020) }),
    edit("delete", { target: "Fills in forms." }),
    edit("append", { content: "Stamps them.", file: "SKILL.md" }),
    edit("append", { content: "Use for tax forms." }),
  ];
  const { candidate, reports } = await update(seen.skill, edits, place, context);
  expect(reports.map(({ status }) => status)).toEqual([
    "refused_description",
    "refused_description",
    "refused_description",
    "refused_unknown_file",
    "applied_append",
  ]);
  expect(mainText(candidate).replaceAll(/\s+/g, " ").trim()).toBe("Fills in forms. Use for tax forms.");
});
