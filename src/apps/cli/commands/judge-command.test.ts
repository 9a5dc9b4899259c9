import { expect, onTestFinished, test } from "vitest";
import { parcelTasks, judgeWorld } from "../../../../test/support/judge/parcel-judges.ts";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { typeWhetstone } from "../../../../test/support/type-whetstone.ts";
import { startScriptedServer } from "../../../testing/index.ts";

const tasks = parcelTasks(1, 20);
const plain = { id: "plain", input: "How many?", answers: ["3"] };

/** The references as good answers, and for every second task a bad one in its place. */
const marks = tasks.map(({ id, reference = "" }, at) => ({
  task: id,
  answer: at % 2 === 0 ? reference : "It goes somewhere.",
  good: at % 2 === 0,
}));

/** A project with a file of marks, and one judge of many on a real server. */
async function openProject(rows: readonly object[]) {
  const server = await startScriptedServer({ seed: 1, world: judgeWorld(1) });
  onTestFinished(() => server.close());
  const lines = (items: readonly object[]) => items.map((item) => JSON.stringify(item)).join("\n");
  const dir = await tempDir({
    "SKILL.md": "# Parcels\n",
    "tasks.jsonl": lines([...tasks, plain]),
    "marks.jsonl": lines(rows),
  });
  const agree = (judge: string, ...more: readonly string[]) =>
    typeWhetstone(dir, [
      ..."judge agree marks.jsonl SKILL.md --tasks tasks.jsonl --target parcels/target".split(" "),
      ...`--optimizer parcels/optimizer --judge parcels/${judge} --base-url ${server.url}/v1`.split(" "),
      ...more,
    ]);
  return { agree, server };
}

test("a judge that marks as a person does agrees, with the figures and the chance-corrected ones", async () => {
  const { agree, server } = await openProject([...marks, { task: "plain", answer: "3", good: true }]);
  const { code, out } = await agree("good");
  expect(code).toBe(0);
  expect(out).toMatch(/^agrees: parcels\/good marks 20 of 20 answers as you do, kappa 1\.00\n/);
  expect(out.replaceAll(/\s+/g, " ")).toContain(
    "Agreement 100% (95% interval 83% to 100%). Chance alone would give 50%. Kappa, which leaves chance out, is 1.00 (0.66 to 1.00); it should be at least 0.6.",
  );
  expect(out).toMatch(/you said +the judge agrees\n +good +10 of 10\n +bad +10 of 10\n/);
  expect(out.replaceAll(/\s+/g, " ")).toContain(
    "Not asked: rows 21, because their tasks don't have a rubric",
  );
  expect(server.callCount).toBe(20);
});

test.each([
  ["always-0", "0 of 10", "10 of 10", "kappa 0.00"],
  ["always-1", "10 of 10", "0 of 10", "kappa 0.00"],
  ["upside-down", "0 of 10", "0 of 10", "kappa −1.00"],
])("%s disagrees, though it may mark half of them alike", async (judge, good, bad, kappa) => {
  const { agree } = await openProject(marks);
  const { code, out, err } = await agree(judge);
  expect(code).toBe(2);
  expect(out).toMatch(/^disagrees: /);
  expect(out.split("\n")[0]).toContain(kappa);
  expect(out).toMatch(new RegExp(`good +${good}\\n +bad +${bad}\\n`));
  expect(out).toContain("Marked differently\n    row ");
  expect(err).toContain("judge-uncalibrated");
});

test("few answers are inconclusive, unusable verdicts count as disagreement, and one kind of marks is refused", async () => {
  const few = await openProject(marks.slice(0, 4));
  expect((await few.agree("good")).out).toMatch(/^inconclusive: .*4 of 4 answers/);
  const all = await openProject(marks);
  const prose = JSON.parse((await all.agree("prose", "--json")).out) as object;
  expect(prose).toMatchObject({ verdict: "disagrees", unusable: 20, agreement: { value: 0 } });
  const onlyGood = await openProject(marks.filter(({ good }) => good));
  const refused = await onlyGood.agree("good");
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("has only one kind") });
  expect(onlyGood.server.callCount).toBe(0);
});

test("a task that isn't there, and a file that isn't there, are named", async () => {
  const { agree } = await openProject([{ task: "parcel-99", answer: "", good: false }]);
  expect((await agree("good")).err).toContain('row 1: unknown task "parcel-99"');
});
