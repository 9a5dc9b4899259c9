import { expect, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import type { ArchivedTask } from "../../../core/sleep/memory/archive.ts";
import { stageNights } from "../../../../test/support/staged-nights.ts";
import { adoptProposal } from "../proposals/adopt-proposal.ts";
import { measureAdopted } from "./measure-adopted.ts";
import { type NightRecord, type SleepState, noNights, stateFile } from "../state.ts";
import { syncRules } from "./sync-rules.ts";

const night = (id: string, conversations: number): NightRecord => ({
  id,
  startedAt: 0,
  endedAt: 0,
  sentence: "",
  conversations,
  tasks: 1,
  corrections: 1,
  proposals: [],
  models: {},
  cost: {},
});

test("after an adoption, the following nights say whether what the rule answers came up less often", async () => {
  const { journalDir, proposal, rules } = await stageNights(await tempDir());
  const { proven } = rules;
  const [task = ""] = proven.provenance.tasks;
  const asked = (nights: readonly string[]): ArchivedTask => ({
    task: { id: task, input: "Add a component." },
    kind: "correction",
    seen: ["codex:1"],
    outcome: "failed",
    evidence: [],
    scope: "project",
    paraphrases: [],
    split: "train",
    firstSeen: "0001",
    lastSeen: "0004",
    seenAt: 0,
    times: nights.length,
    outcomes: nights.map((one) => ({ night: one, outcome: "failed" })),
    wonBy: [],
  });
  const known = stateFile(journalDir).read() ?? noNights;
  const stateAfter = (last: number): SleepState => ({
    ...known,
    nights: [night("0001", 6), night("0002", 5), night("0003", 4), night("0004", last)],
    archive: [asked(["0001", "0002", "0004"])],
    rules: syncRules([proven], journalDir),
  });
  expect(measureAdopted(stateAfter(8), journalDir)).toEqual([]);

  await adoptProposal({ journalDir, id: proposal.id, decisions: { [proven.id]: { deed: "accept" } } });
  expect(syncRules([proven], journalDir)[0]?.status).toBe("adopted");
  expect(measureAdopted(stateAfter(0), journalDir)).toEqual([]);
  const [sentence = ""] = measureAdopted(stateAfter(8), journalDir);
  expect(sentence).toContain("was asked again once in 8 conversations, before 2 times in 15");
});
