import { testJournal } from "whetstone/testing";
// oxlint-disable-next-line import/no-unassigned-import -- it adds its matchers
import "whetstone/vitest";
import { expect, test } from "vitest";
import { myJournal, newStore } from "./my-journal.js";
import { myModel, startOffice, world } from "./my-office.js";

testJournal(
  "my own",
  async () => {
    const store = newStore();
    const journal = myJournal(store);
    const reopen = async () => {
      await journal.close();
      return myJournal(store);
    };
    return { journal, reopen, second: async () => myJournal(store), end: () => journal.close() };
  },
  { test, expect },
);

test("a skill with all rules is no worse than one without, and beats it", async () => {
  await using office = await startOffice();
  const options = {
    tasks: world.splits({ train: 8, val: 8, test: 8 }),
    target: myModel(office.url, "target"),
    spend: { calls: 2000 },
    journal: myJournal(newStore()),
  };
  const [all, none] = [6, 0].map((rules) => ({
    main: "SKILL.md",
    files: { "SKILL.md": world.seedSkill(rules) },
  }));
  if (all === undefined || none === undefined) throw new Error("no skills");
  await expect(all).toBeNoWorseThan(none, options);
  await expect(all).toBeat(none, options);
  await expect(expect(none).toBeNoWorseThan(all, options)).rejects.toThrow(/\nnext: /);
});
