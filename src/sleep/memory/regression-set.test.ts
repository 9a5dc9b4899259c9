import { expect, test } from "vitest";
import { type ArchivedTask, updateArchive } from "./archive.ts";
import { minedTask } from "../../../test/support/mined-tasks.ts";
import { findWins, regressionSet } from "./regression-set.ts";
import { taskEvidence } from "../../../test/support/task-evidence.ts";
import type { LearnedRule } from "../../core/rules/learned/learned-rule.ts";

const rule = (id: string, status: LearnedRule["status"], document = "memory:CLAUDE.md"): LearnedRule => ({
  id,
  document,
  edit: { op: "add", text: id },
  origin: "learned",
  provenance: { conversations: [], tasks: [] },
  evidence: [],
  status,
  reason: "",
});

const night = (at: number, count: number, wonBy: string, archive: readonly ArchivedTask[] = []) => {
  const val = Array.from({ length: count }, (_, nth) =>
    minedTask(`v${at}-${nth}`, `Do ${at}-${nth}.`, [`c${at}`]),
  );
  const won = new Map(val.map(({ task }) => [task.id, [wonBy]]));
  return updateArchive(archive, {
    night: `000${at}`,
    at,
    train: [minedTask(`t${at}`, "Train.", ["t"])],
    val,
    won,
  });
};

const idsOf = (tasks: readonly ArchivedTask[]) => tasks.map(({ task }) => task.id);

test("fault 4: tasks that a standing rule won are checked on all later nights", () => {
  const archive = night(1, 2, "r1");
  const rules = [rule("r1", "adopted"), rule("r2", "open"), rule("r3", "proven", "skill:release")];
  const input = { archive: night(2, 2, "r2", archive), rules, document: "memory:CLAUDE.md" };
  expect(idsOf(regressionSet(input))).toEqual(["v1-0", "v1-1"]);
  expect(regressionSet({ ...input, document: "skill:release" })).toEqual([]);
  expect(regressionSet({ ...input, rules: [rule("r1", "rejected")] })).toEqual([]);
});

test("fault 4: when there are too many, every rule keeps a task before any keeps two", () => {
  let archive: readonly ArchivedTask[] = [];
  for (let at = 1; at <= 6; at += 1) archive = night(at, 5, `r${at}`, archive);
  const rules = Array.from({ length: 6 }, (_, at) => rule(`r${at + 1}`, "proven"));
  const kept = regressionSet({ archive, rules, document: "memory:CLAUDE.md", atMost: 8 });
  expect(idsOf(kept)).toEqual(["v1-0", "v2-0", "v3-0", "v4-0", "v5-0", "v6-0", "v1-1", "v2-1"]);
  expect(regressionSet({ archive, rules, document: "memory:CLAUDE.md" })).toHaveLength(12);
});

test("a rule won a task of its habit when its mean is above that without it, on that night", () => {
  const helping = [
    ...taskEvidence(1, 1, 0, { task: "v1" }),
    ...taskEvidence(1, 1, 1, { task: "v2" }),
    ...taskEvidence(1, 1, 0, { task: "v3", isOwn: false }),
    ...taskEvidence(1, 1, 0, { task: "v4", night: "0002" }),
  ];
  const rules = [
    { ...rule("r2", "open"), evidence: helping },
    { ...rule("r1", "open"), evidence: helping.slice(0, 1) },
  ];
  expect(findWins(rules, "0001")).toEqual(new Map([["v1", ["r1", "r2"]]]));
});
