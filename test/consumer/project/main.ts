// What another project does with the package, as its README and its types tell: run by ../run.ts against the packed package.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type RunEvent,
  type TrainOptions,
  WhetstoneError,
  adopt,
  compare,
  defineConfig,
  diff,
  evaluate,
  plan,
  review,
  train,
  undo,
} from "whetstone";
import { meanScore } from "whetstone/method";
import { myJournal, newStore } from "./my-journal.js";
import { checkUp } from "./my-verb.js";
import { myEnvironment, myModel, shelf, startOffice, withShelf, world } from "./my-office.js";

await using office = await startOffice();
const splits = world.splits({ train: 12, val: 12, test: 12 });
const tasks = { train: withShelf(splits.train), val: withShelf(splits.val), test: withShelf(splits.test) };
const shared = defineConfig({
  skill: "SKILL.md",
  tasks,
  target: myModel(office.url, "target"),
  optimizer: myModel(office.url, "optimizer"),
  environment: myEnvironment,
  scorers: { shelf },
  epochs: 2,
  gate: "off",
  baselines: false,
  evalTest: false,
  spend: { calls: 5000 },
});

/** A project: a folder with a skill, and a journal. */
function newProject() {
  const cwd = mkdtempSync(join(tmpdir(), "whetstone-consumer-"));
  const original = world.seedSkill(1);
  writeFileSync(join(cwd, "SKILL.md"), original);
  const options: TrainOptions = { ...shared, cwd, journal: myJournal(newStore()) };
  return { cwd, options, original, live: () => readFileSync(join(cwd, "SKILL.md"), "utf8") };
}

// before: what it would take
const first = newProject();
const planned = await plan({ ...shared, cwd: first.cwd });
assert.equal(planned.tasks.train, 12);
assert.ok(planned.calls.high > 12);

// abort, and go on: what was bought is not bought again
const stop = new AbortController();
const seen: RunEvent["type"][] = [];
const stopping = train({
  ...first.options,
  signal: stop.signal,
  onEvent: ({ type }) => {
    seen.push(type);
    if (type === "step-end") stop.abort();
  },
});
await assert.rejects(stopping, { code: "interrupted" });
assert.ok(seen.includes("run-end"));
const bought = office.callCount;
const run = await train(first.options);
assert.equal(run.finishedBefore, false);
assert.ok(Math.max(...office.callsByKey.values()) <= 2);
assert.ok(office.callCount > bought);
const again = await train(first.options);
assert.deepEqual([again.finishedBefore, again.id, again.best.text], [true, run.id, run.best.text]);

// look at it; a program that no person's terminal started may not adopt it
const { proposal, powers } = await diff(first.options);
assert.deepEqual([proposal.run, powers], [run.id, []]);
for (const refused of [
  adopt({ ...pick(first.options), run: run.id, unproven: true }),
  undo(pick(first.options)),
])
  await assert.rejects(refused, (error) => {
    assert.ok(error instanceof WhetstoneError);
    assert.deepEqual([error.code, typeof error.hint], ["not-confirmed", "string"]);
    return true;
  });
assert.equal(first.live(), first.original);
const shown = await review(pick(first.options));
assert.deepEqual([shown.waiting, shown.review?.id], [[], run.id]);

// two runs at once in one process, each in its folder
const others = [newProject(), newProject()];
const runs = await Promise.all(others.map(({ options }, seed) => train({ ...options, seed })));
assert.ok(runs.every(({ folder }, at) => folder.startsWith(others[at]?.cwd ?? "?")));
assert.notEqual(runs[0]?.id, runs[1]?.id);

// a verb of our own
const checked = await checkUp({
  ...first.options,
  skill: { main: "SKILL.md", files: { "SKILL.md": world.seedSkill(6) } },
});
assert.ok(checked.summary.passed > 6);
assert.match(readFileSync(join(checked.folder, "summary.json"), "utf8"), / of 12 train tasks pass/);

// measure
const { summary } = await evaluate({ ...first.options, on: "val" });
assert.ok(summary.hard !== null);
const compared = await compare({
  ...first.options,
  skill: { main: "SKILL.md", files: { "SKILL.md": world.seedSkill(6) } },
  baseline: { main: "SKILL.md", files: { "SKILL.md": world.seedSkill(0) } },
});
assert.equal(compared.summary.verdict, "better");
assert.equal(typeof meanScore, "function");
console.log(`${run.verdict}: ${run.summary.sentence}`);

/** Where it happened. */
function pick({ cwd, journal }: TrainOptions) {
  return { cwd, journal };
}
