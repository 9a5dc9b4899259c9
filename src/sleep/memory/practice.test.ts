import { expect, test } from "vitest";
import { updateArchive } from "./archive.ts";
import { minedTask } from "../../../test/support/mined-tasks.ts";
import { paraphraseTasks, recallTasks } from "./practice.ts";

const idsOf = (tasks: readonly ReturnType<typeof minedTask>[]) => tasks.map(({ task }) => task.id);

test("paraphrases are practised as tasks of their own, with the checks of the real one", () => {
  const mined = minedTask("m-1", "Add zod as a dependency.", ["a"], {
    paraphrases: ["Bring in zod.", "We need zod."],
  });
  const [first, ...more] = paraphraseTasks([mined], 1, []);
  expect(more).toEqual([]);
  expect(first).toEqual({
    ...mined,
    task: { ...mined.task, id: "m-1~1", input: "Bring in zod." },
    paraphrases: [],
  });
  expect(idsOf(paraphraseTasks([mined], 2, []))).toEqual(["m-1~1", "m-1~2"]);
  expect(paraphraseTasks([mined], 0, [])).toEqual([]);
});

test("fault 5: a paraphrase that resembles a val task is not practised", () => {
  const mined = minedTask("m-1", "Add zod.", ["a"], { paraphrases: ["Write the release notes."] });
  expect(paraphraseTasks([mined], 2, [minedTask("m-2", "Write release notes", ["b"])])).toEqual([]);
});

const archive = updateArchive([], {
  night: "0001",
  at: 0,
  train: [
    minedTask("t-near", "Add ajv as a dependency of the server.", ["a"]),
    minedTask("t-nearer", "Add ajv as a dependency.", ["b"]),
    minedTask("t-far", "Rename the billing module.", ["c"]),
    minedTask("t-held", "Write the release notes for the server.", ["d"]),
  ],
  val: [minedTask("v-1", "Write release notes for the server", ["e"])],
});

test("the most similar train tasks of earlier nights are recalled", () => {
  const train = [minedTask("m-1", "Add zod as a dependency.", ["x"])];
  expect(idsOf(recallTasks({ count: 5, train, val: [], archive }))).toEqual(["t-nearer", "t-near"]);
  expect(idsOf(recallTasks({ count: 1, train, val: [], archive }))).toEqual(["t-nearer"]);
});

test("fault 5: recall brings no val task, and nothing that resembles one of tonight or of earlier nights", () => {
  const train = [minedTask("m-1", "Write the release notes, then add ajv as a dependency.", ["x"])];
  const val = [minedTask("m-2", "Add the ajv dependency", ["y"])];
  expect(idsOf(recallTasks({ count: 5, train, val: [], archive }))).not.toContain("t-held");
  expect(recallTasks({ count: 5, train, val, archive })).toEqual([]);
});
