import { expect, test } from "vitest";
import { updateArchive } from "../memory/archive.ts";
import { mergeMined } from "./merge-mined.ts";
import { minedTask } from "../../../test/support/mined-tasks.ts";

const archived = (...tasks: readonly ReturnType<typeof minedTask>[]) =>
  updateArchive([], { night: "0001", at: 0, train: [], val: tasks });

test("fault 10: recurrence counts: the same request of several conversations is one task that remembers them all", () => {
  const merged = mergeMined(
    [
      minedTask("m-4", "Write the changelog for this release.", ["a"]),
      minedTask("m-1", "Add zod as a dependency.", ["b"]),
      minedTask("m-2", "add ZOD as a dependency", ["a"], {
        kind: "correction",
        stated: "use pnpm",
        evidence: ["use pnpm"],
      }),
      minedTask("m-3", "Add the zod dependency.", ["codex:c"]),
    ],
    [],
  );
  expect(merged).toEqual([
    minedTask("m-1", "Add zod as a dependency.", ["b"], {
      seen: ["a", "b", "codex:c"],
      kind: "correction",
      stated: "use pnpm",
      evidence: ["use pnpm"],
    }),
    minedTask("m-4", "Write the changelog for this release.", ["a"]),
  ]);
});

test("requests that differ in a number or in what they are about stay apart", () => {
  const inputs = [
    "Fix the login page of version 2.",
    "Fix the login page of version 3.",
    "Fix the logout page of version 2.",
    "Add a test for parseDate.",
    "Add a test for parseTime.",
  ];
  const tasks = inputs.map((input, at) => minedTask(`m-${at}`, input, [`c${at}`]));
  expect(mergeMined(tasks, [])).toHaveLength(inputs.length);
});

test("near-duplicates of long requests merge by the measure that refuses splits", () => {
  const words = Array.from(
    { length: 80 },
    (_, at) => `w${String.fromCharCode(97 + (at % 26))}${"x".repeat(at % 7)}`,
  );
  const [long, changed] = [words.join(" "), [...words.slice(0, 40), "other", ...words.slice(41)].join(" ")];
  expect(mergeMined([minedTask("m-1", long, ["a"]), minedTask("m-2", changed, ["b"])], [])).toHaveLength(1);
});

test("of two that are new, the one that a program checks is kept", () => {
  const byRubric = minedTask("m-1", "Add zod as a dependency.", ["a"]);
  const judged = {
    ...byRubric,
    task: { ...byRubric.task, checks: [{ kind: "rubric", value: "Uses pnpm." }] },
  };
  const [merged] = mergeMined([judged, minedTask("m-2", "Add zod as a dependency.", ["b"])], []);
  expect([merged?.task.id, merged?.seen]).toEqual(["m-2", ["a", "b"]]);
});

test("fault 5: a reworded request is no new task: it keeps the archive's id, words and checks", () => {
  const archive = archived(minedTask("m-old", "Add zod as a dependency.", ["a"]));
  const reworded = minedTask("m-new", "Add the zod dependency to it", ["b"], { outcome: "failed" });
  const other = { ...reworded, task: { ...reworded.task, checks: [{ kind: "contains", value: "yarn" }] } };
  expect(mergeMined([other], archive)).toEqual([
    minedTask("m-old", "Add zod as a dependency.", ["a"], { seen: ["a", "b"], outcome: "failed" }),
  ]);
});

test("fault 5: a conversation that went on and is mined again gives its task again, not another", () => {
  const quoted = { evidence: ["no, use pnpm"] };
  const archive = archived(minedTask("m-old", "Add zod as a dependency.", ["a"], quoted));
  const again = minedTask("m-new", "Install zod in the shop as a dependency.", ["a"], quoted);
  expect(mergeMined([again], archive).map(({ task }) => task.id)).toEqual(["m-old"]);
  expect(mergeMined([{ ...again, seen: ["b"] }], archive).map(({ task }) => task.id)).toEqual(["m-new"]);
});

test("fault 5: a wording that is known as a paraphrase is known", () => {
  const archive = archived(
    minedTask("m-old", "Add zod as a dependency.", ["a"], { paraphrases: ["Bring in zod."] }),
  );
  expect(mergeMined([minedTask("m-new", "bring in zod", ["b"])], archive)[0]?.task.id).toBe("m-old");
});

test("two tasks of tonight that are one of the archive become one", () => {
  const archive = archived(
    minedTask("m-old", "Add zod as a dependency.", ["a"], { paraphrases: ["Bring in zod."] }),
  );
  const tonight = [
    minedTask("m-1", "Add the zod dependency", ["b"]),
    minedTask("m-2", "Bring in zod", ["c"]),
  ];
  expect(mergeMined(tonight, archive)).toEqual([expect.objectContaining({ seen: ["a", "b", "c"] })]);
});
