import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sharedFolder } from "../config/state-folder.ts";
import { tempDir } from "../../test/support/temp-dir.ts";
import { reviewLines } from "../show/review-lines.ts";
import { type ChatWorld, hiddenRuleWorld, startScriptedServer } from "../testing/index.ts";
import { openReview } from "./offer/offers.ts";
import { adopt } from "./offer/proposals.ts";
import { train } from "./verbs/train.ts";

/** A training that learns rules; `answer` is the reply to the question about their powers. */
async function trainOffice(answer: (rules: number) => string) {
  const seed = 7;
  const office = hiddenRuleWorld({ seed, rules: 6, passWith: 0.9, passWithout: 0.1, noise: 0.1 });
  const world: ChatWorld = {
    reply(request) {
      if (!request.system.endsWith("Contract: powers")) return office.reply(request);
      const asked = request.messages.at(-1)?.content ?? "";
      return { text: answer(asked.match(/^BEGIN rule-/gm)?.length ?? 0) };
    },
  };
  const server = await startScriptedServer({ seed, world });
  onTestFinished(() => server.close());
  const cwd = await tempDir({ "SKILL.md": office.seedSkill(1) });
  const run = await train({
    cwd,
    skill: "SKILL.md",
    tasks: office.splits({ train: 30, val: 48, test: 20 }),
    target: "office/target",
    optimizer: "office/optimizer",
    baseURL: `${server.url}/v1`,
    gate: "rules",
    epochs: 3,
    baselines: false,
    slowUpdate: false,
    spend: { calls: 5000 },
  });
  const questions = server.calls.filter(({ request }) => request.system.endsWith("Contract: powers"));
  const journalDir = sharedFolder(cwd);
  const shown = () => {
    const review = openReview({ run: run.id, folder: join(journalDir, "runs", run.id), journalDir });
    return reviewLines(review, 120).join("\n");
  };
  return { cwd, run, questions, shown, record: join(journalDir, "runs", run.id, "proposal.json") };
}

const sayOf = (powers: readonly object[]) => (rules: number) =>
  JSON.stringify({ rules: Array.from({ length: rules }, (_, at) => ({ rule: at + 1, powers })) });

test("a training asks once what its rules ask for, keeps the answer, and adopting asks nobody", async () => {
  const { cwd, questions, record, shown } = await trainOffice(sayOf([{ power: "authority", quote: "" }]));
  expect(questions).toHaveLength(1);
  const { rules } = JSON.parse(readFileSync(record, "utf8"));
  expect(rules[0].looked).toMatchObject({ by: "office/optimizer", powers: [{ power: "authority" }] });
  expect(shown()).toMatch(/asks for +authority: /);
  await expect(adopt({ cwd })).rejects.toMatchObject({ code: "unacknowledged" });
  await adopt({ cwd, acknowledge: ["authority"] });
  expect(questions).toHaveLength(1);
}, 60_000);

test("without a usable answer, and in a record without one, the review says so and adopting needs the word", async () => {
  const { cwd, questions, record, shown } = await trainOffice(() => "I see nothing wrong with them.");
  // the repair has its two tries
  expect(questions).toHaveLength(3);
  expect(readFileSync(record, "utf8")).not.toContain('"looked"');
  expect(shown()).toMatch(/asks for +permissions not checked, as no model gave a usable answer: read it/);
  await expect(adopt({ cwd })).rejects.toMatchObject({
    code: "unacknowledged",
    message: expect.stringContaining("wasn't looked at"),
  });
  const proposal = JSON.parse(readFileSync(record, "utf8"));
  writeFileSync(
    record,
    JSON.stringify({ ...proposal, looked: [{ by: "x", text: "other words", powers: [] }] }),
  );
  await expect(adopt({ cwd })).rejects.toMatchObject({ code: "unacknowledged" });
  await adopt({ cwd, acknowledge: ["not-looked-at"] });
}, 60_000);
