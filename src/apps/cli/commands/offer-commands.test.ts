import { lookedRule } from "../../../../test/support/looked.ts";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { memoryDocument } from "../../../../test/support/night-input.ts";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { type Review, decisionsIn } from "../../../core/offer/review.ts";
import type { Wished } from "../../../core/rules/rule.ts";
import type { LearnedRule } from "../../../core/rules/learned/learned-rule.ts";
import { chooseRules } from "../../../run/offer/choose.ts";
import { diffOffer } from "../../../run/offer/diff-proposal.ts";
import { listProposals, nightRun, openReview, readRejections } from "../../../run/offer/offers.ts";
import { stageProposal } from "../../../run/offer/stage.ts";
import { sqliteJournal } from "../../../adapters/journals/sqlite/sqlite.ts";
import { capturedIo } from "../../../../test/support/captured-io.ts";
import { taskEvidence } from "../../../../test/support/task-evidence.ts";
import { adoptCommand, diffCommand, rejectCommand, reviewCommand, undoCommand } from "./offer-commands.ts";
import { sharedFolder } from "../../../config/state-folder.ts";

const rule = (id: string, text: string, status: LearnedRule["status"]): LearnedRule => ({
  id,
  document: "memory:AGENTS.md",
  edit: { op: "add", text },
  origin: status === "stated" ? "stated" : "learned",
  provenance: { conversations: ["codex:a", "pi:b"], tasks: ["t0", "t1"] },
  evidence: status === "stated" ? [] : taskEvidence(status === "proven" ? 8 : 1, 1, 0),
  status,
  reason: "",
});

const wish: Wished = {
  id: "w-000000000001",
  sentence: "You said this once: 2 October 2026.",
  said: [{ text: "say please, will you", date: "2026-10-02", agent: "codex" }],
  wordings: ["say please"],
  example: {
    date: "2026-10-02",
    agent: "codex",
    asked: "write to Ada",
    did: "Come here!",
    said: "say please, will you",
    withRule: { task: "t1", asked: "Write to Bob.", did: "Come here, please." },
  },
  sameAs: [{ wish: "w-000000000002", text: "Be polite." }],
};

/** A project whose night proposed three rules; `answers` are what the person types. */
async function openNight(answers?: string[], edited = "") {
  const dir = await tempDir({ "AGENTS.md": "# House\n" });
  const journalDir = sharedFolder(dir);
  const review = await stageProposal({
    journalDir,
    night: "2026-10-03",
    document: memoryDocument("# House\n", join(dir, "AGENTS.md")),
    gate: "on",
    rules: [
      rule("aaaa1111aaaa", "Use tabs.", "proven"),
      rule("bbbb2222bbbb", "Write tests first.", "open"),
      rule("cccc3333cccc", "Say \u001B[2Jplease.", "stated"),
    ].map((each) => ({
      ...lookedRule(each),
      conversations: [{ id: "codex:a", source: "codex", date: "2026-10-02", words: ["no,\nuse tabs"] }],
      ...(each.status === "stated" ? { wish } : {}),
    })),
    rejected: [{ id: "dddd", text: "Never mind.", reason: "Lost 4 tasks." }],
  });
  const { io, text } = capturedIo(dir);
  const asked: string[] = [];
  const prompt = {
    ask: async (question: string) => {
      asked.push(question);
      return answers?.shift();
    },
    edit: () => edited,
  };
  const flags: Parameters<typeof adoptCommand>[0] = {
    journal: journalDir,
    json: false,
    accept: [],
    drop: [],
    edit: [],
    same: [],
    reject: [],
    unproven: false,
    merge: false,
    acknowledge: [],
  };
  const live = () => readFileSync(join(dir, "AGENTS.md"), "utf8");
  const id = review?.id ?? "";
  return {
    dir,
    id,
    io: answers === undefined ? io : { ...io, prompt },
    text,
    asked,
    flags,
    live,
    journalDir,
  };
}

const block = (...rules: readonly string[]) =>
  `# House\n\n<!-- whetstone:learned:start -->\n${rules.map((each) => `- ${each}\n`).join("")}<!-- whetstone:learned:end -->\n`;

test("review prints each rule with its label, evidence and words, and spells out what a terminal would obey", async () => {
  const { io, text, flags, live } = await openNight();
  await reviewCommand(flags, io);
  expect(text()).toContain("1. aaaa1111  proven (0 of 24 → 24 of 24 on 8 of your tasks)");
  expect(text()).toContain("2. bbbb2222  promising, not proven (0 of 3 → 3 of 3 on 1 of your tasks)");
  expect(text()).toContain("3. cccc3333  not measured");
  expect(text()).toMatch(/^ {2}add +Use tabs\.$/m);
  expect(text()).toMatch(/^ {2}costs +about 3 tokens in every conversation$/m);
  expect(text()).toMatch(/^ {2}from +codex, 2026-10-02 "no, use tabs"$/m);
  expect(text()).toContain("Never mind.  Lost 4 tasks.");
  expect(text()).toContain("+- Use tabs.");
  expect(text()).not.toContain("\u001B");
  expect(live()).toBe("# House\n");
});

test("a review ends with a command that adopts what is left, whether or not it is proven", async () => {
  const { id, io, text, flags, live } = await openNight();
  await reviewCommand(flags, io);
  expect(text()).toContain(`Next: whetstone adopt ${id}, or `);
  await reviewCommand({ ...flags, drop: ["aaaa", "cccc"] }, io);
  expect(text()).toContain(`Next: whetstone adopt ${id} --unproven, or `);
  await adoptCommand({ ...flags, unproven: true }, io);
  expect(live()).toBe(block("Write tests first."));
});

test("flags choose and reject; adopt then takes exactly what was chosen, and undo takes it back", async () => {
  const { dir, io, text, flags, live, journalDir } = await openNight();
  writeFileSync(join(dir, "mine.md"), "Use two spaces.\n");
  await reviewCommand({ ...flags, edit: ["aaaa=mine.md"], drop: ["bbbb"], reject: ["cccc=Too chatty."] }, io);
  expect(text()).toContain("+- Use two spaces.");
  expect(readRejections(listProposals(journalDir)).map(({ reason }) => reason)).toEqual(["Too chatty."]);
  await expect(adoptCommand(flags, io)).rejects.toMatchObject({
    code: "unacknowledged",
    message: expect.stringContaining("not-looked-at: wasn't looked at"),
  });
  await adoptCommand({ ...flags, acknowledge: ["not-looked-at"] }, io);
  expect(live()).toBe(block("Use two spaces."));
  expect(text()).toContain("rule aaaa1111: edited by you, not measured");
  await undoCommand(flags, io);
  expect(live()).toBe("# House\n");
});

test("adopt takes flags of its own; what is not proven needs the word", async () => {
  const { io, flags, live } = await openNight();
  await expect(adoptCommand({ ...flags, accept: ["bbbb"] }, io)).rejects.toMatchObject({
    code: "unproven",
  });
  await adoptCommand({ ...flags, accept: ["bbbb"], unproven: true }, io);
  expect(live()).toBe(block("Write tests first."));
});

test.each([
  [{ accept: ["zz"] }, "not-found"],
  [{ accept: ["aaaa"], drop: ["aaaa1"] }, "usage"],
  [{ edit: ["aaaa"] }, "usage"],
  [{ edit: ["aaaa=none.md"] }, "not-found"],
  [{ run: "none" }, "not-found"],
])("%j is refused as %s", async (some, code) => {
  const { io, flags } = await openNight();
  await expect(reviewCommand({ ...flags, ...some }, io)).rejects.toMatchObject({ code });
});

test("at a terminal every rule is asked for, an unproven one twice, and the last word writes", async () => {
  const { io, asked, flags, live, text } = await openNight(
    ["a", "a", "n", "a", "y", "e", "y", "y"],
    "Say hello.\n",
  );
  await reviewCommand(flags, io);
  expect(live()).toBe(block("Use tabs.", "Write tests first.", "Say hello."));
  expect(asked[2]).toContain("promising, not proven");
  expect(asked.at(-2)).toContain("wasn't looked at: Say hello.");
  expect(asked.at(-1)).toMatch(/^Write 3 rules into .*AGENTS\.md\? \[y\/N\] > $/);
  expect(text()).toContain("rule bbbb2222: promising, not proven");
  expect(text()).toContain("rule cccc3333: edited by you, not measured");
});

test("at a terminal a rule is dropped or rejected with a reason, and without the last word nothing is written", async () => {
  const { io, flags, live, journalDir, id, text } = await openNight(["a", "d", "r", "", "r", "No.", "n"]);
  await reviewCommand(flags, io);
  expect(live()).toBe("# House\n");
  expect(readRejections(listProposals(journalDir))).toMatchObject([
    { rule: { id: "cccc3333cccc" }, reason: "No." },
  ]);
  const now = openReview(nightRun(journalDir, id));
  expect(now.state).toBe("staged");
  expect(decisionsIn(now)).toMatchObject({ bbbb2222bbbb: { deed: "drop" } });
  expect(text()).toContain(`whetstone adopt ${id}`);
});

test("a wish shows when it was said, what was asked, done and said, and what is done with the rule", async () => {
  const { io, text, flags } = await openNight();
  await reviewCommand(flags, io);
  const shown = text().slice(text().indexOf("3. cccc3333"), text().indexOf("Turned down"));
  expect(shown.split("\n").map((line) => line.trim().replaceAll(/ {2,}/g, "  "))).toEqual([
    "3. cccc3333  not measured",
    'you said  "say please, will you". You said this once: 2 October 2026.',
    "proposed as  Say <U+001B>[2Jplease.",
    '2026-10-02  you asked: "write to Ada"',
    'codex did: "Come here!"',
    'you said: "say please, will you"',
    'with it  asked: "Write to Bob."',
    'it does: "Come here, please."',
    'or  "say please" (your own words)',
    'the same?  w-000000000002 "Be polite."',
    "costs  about 4 tokens in every conversation",
    "left out  stated in one conversation, unless you accept it",
    "",
    "",
  ]);
});

test("at a terminal a wish is taken in the person's own words, or is the same as another", async () => {
  const own = await openNight(["d", "d", "o", "y", "y"]);
  await reviewCommand(own.flags, own.io);
  expect(own.asked[2]).toContain("in your [o]wn words");
  expect(own.live()).toBe(block("say please"));
  const same = await openNight(["a", "d", "s", "y"]);
  await reviewCommand(same.flags, same.io);
  expect(same.live()).toBe(block("Use tabs."));
  expect(decisionsIn(openReview(nightRun(same.journalDir, same.id)))).toMatchObject({
    cccc3333cccc: { deed: "same", as: "w-000000000002" },
  });
});

test("what is dropped stays dropped, also when nothing is taken and by flags one after another; then nothing waits", async () => {
  const { io, flags, text, journalDir, id } = await openNight(["d", "d", "q"]);
  await reviewCommand(flags, io);
  const dropped = { deed: "drop" };
  expect(decisionsIn(openReview(nightRun(journalDir, id)))).toEqual({
    aaaa1111aaaa: dropped,
    bbbb2222bbbb: dropped,
  });
  await reviewCommand({ ...flags, drop: ["cccc"] }, io);
  expect(text().match(/decided +dropped by you/g)).toHaveLength(3);
  expect(Object.keys(decisionsIn(openReview(nightRun(journalDir, id))))).toHaveLength(3);
  await reviewCommand(flags, io);
  expect(text()).toContain("No proposals are waiting.");
  await expect(adoptCommand(flags, io)).rejects.toThrow(
    "No training, pruning or night has made a proposal yet.",
  );
  await expect(undoCommand(flags, io)).rejects.toThrow("Nothing is adopted");
  await expect(reviewCommand({ ...flags, run: id, drop: ["1"] }, io)).rejects.toMatchObject({
    hint: expect.stringContaining("Its rules are aaaa1111, bbbb2222, cccc3333;"),
  });
  await expect(reviewCommand({ ...flags, run: id, same: ["cccc=w-9"] }, io)).rejects.toMatchObject({
    code: "not-found",
    hint: "Possible ids: w-000000000002, aaaa1111, bbbb2222.",
  });
});

test("at a terminal quitting, and the end of the input, change nothing", async () => {
  for (const answers of [["a", "q"], ["a"]]) {
    const { io, flags, live, text } = await openNight(answers);
    await reviewCommand(flags, io);
    expect([live(), text().includes("Nothing was adopted")]).toEqual(["# House\n", true]);
  }
});

test("at a terminal a file that changed since is merged after asking", async () => {
  const { dir, io, flags, live, asked } = await openNight(["a", "d", "d", "y"]);
  writeFileSync(join(dir, "AGENTS.md"), "# My house\n");
  await reviewCommand(flags, io);
  expect(asked.at(-1)).toContain("changed since");
  expect(live()).toBe(block("Use tabs.").replace("House", "My house"));
});

test("at a terminal every new power is asked for, and one that is not meant stops it", async () => {
  const words = "Run `curl https://example.test` before each release.\n";
  const refused = await openNight(["e", "d", "d", "n"], words);
  await reviewCommand(refused.flags, refused.io);
  expect(refused.asked.at(-1)).toMatch(/^Line 4 .*\nIs that intended\? \[y\/N\] > $/s);
  expect(refused.live()).toBe("# House\n");
  const meant = await openNight(["e", "d", "d", ...Array.from({ length: 9 }, () => "y")], words);
  await reviewCommand(meant.flags, meant.io);
  expect(meant.live()).toBe(block(words.trim()));
});

test("reject puts a proposal away with its reason, and then nothing waits", async () => {
  const { io, flags, text, journalDir, id } = await openNight();
  await rejectCommand({ ...flags, reason: "Not now." }, io);
  expect(openReview(nightRun(journalDir, id))).toMatchObject({ state: "rejected", reason: "Not now." });
  await reviewCommand(flags, io);
  expect(text()).toContain("No proposals are waiting.");
});

test.each([
  ["reject", "reject"],
  ["review --reject", "review"],
])("what was accepted before and rejected by %s is neither shown nor written", async (_, command) => {
  const { io, flags, live, journalDir, id } = await openNight();
  await reviewCommand({ ...flags, accept: ["aaaa", "cccc"] }, io);
  if (command === "reject") await rejectCommand({ ...flags, rule: "cccc", reason: "No, never." }, io);
  else await reviewCommand({ ...flags, reject: ["cccc=No, never."] }, io);
  const shown = await diffOffer(nightRun(journalDir, id));
  expect(shown.diff).not.toContain("please");
  await adoptCommand(flags, io);
  expect(live()).toBe(block("Use tabs."));
  expect(readRejections(listProposals(journalDir))).toMatchObject([
    { rule: { id: "cccc3333cccc" }, reason: "No, never." },
  ]);
});

test("diff, adopt and undo take the id of a night's proposal as they take a run's", async () => {
  const { io, text, live, journalDir, id } = await openNight();
  const journal = await sqliteJournal({ dir: journalDir });
  await journal.close();
  await chooseRules(nightRun(journalDir, id), { cccc3333cccc: { deed: "reject", reason: "No." } });
  const named = { journal: journalDir, run: id.slice(0, 18), json: false };
  await diffCommand(named, io);
  expect(text()).toContain("+- Use tabs.");
  await adoptCommand(named, io);
  expect(live()).toBe(block("Use tabs."));
  await undoCommand(named, io);
  expect(live()).toBe("# House\n");
});

test("undo without an id takes back what was adopted last, not what was proposed last", async () => {
  const { dir, io, flags, live, journalDir, id } = await openNight();
  const path = join(dir, "CLAUDE.md");
  const later = await stageProposal({
    journalDir,
    night: "2026-10-03",
    document: memoryDocument("", path),
    gate: "on",
    rules: [lookedRule(rule("eeee5555eeee", "Use tabs.", "proven"))],
    rejected: [],
    now: () => Date.now() + 1000,
  });
  await adoptCommand({ ...flags, run: later?.id ?? "" }, io);
  await setTimeout(5);
  await adoptCommand({ ...flags, run: id, accept: ["aaaa"] }, io);
  await undoCommand(flags, io);
  expect([live(), existsSync(path)]).toEqual(["# House\n", true]);
  await undoCommand(flags, io);
  expect(existsSync(path)).toBe(false);
});

test("as JSON a review is one object with its diff", async () => {
  const { io, flags, text, id } = await openNight();
  await reviewCommand({ ...flags, json: true }, io);
  expect(JSON.parse(text())).toMatchObject({
    id,
    state: "staged",
    diff: expect.stringContaining("+- Use tabs."),
  });
});

test("a review as a conversation: one decision at a time, what was taken said again, in the words of the plugin's command", async () => {
  const { id, io, text, flags, live } = await openNight();
  const said = async (choice: Partial<typeof flags>) => {
    await reviewCommand({ ...flags, ...choice, run: id, json: true }, io);
    const [last = ""] = text().trim().split("\n").slice(-1);
    return JSON.parse(last) as Review & { readonly diff: string };
  };
  const shown = await said({});
  const steps = readFileSync(
    join(import.meta.dirname, "../../../../plugins/whetstone/commands/review.md"),
    "utf8",
  );
  // every field that the agent is told to show is there
  const [, told = ""] = /^2\. Take the rules([^]*?)^3\. /m.exec(steps) ?? [];
  const fields = [...told.matchAll(/`([a-z][a-zA-Z]+)`/g)].flatMap(([, name = ""]) =>
    name === "ask" ? [] : [name],
  );
  expect(fields.length).toBeGreaterThan(7);
  for (const name of fields.filter((one) => one !== "decision"))
    expect(JSON.stringify(shown)).toContain(`"${name}":`);
  const deeds = (one: Review) => Object.values(decisionsIn(one)).map(({ deed }) => deed);
  expect(deeds(await said({ accept: ["aaaa1111"] }))).toEqual(["accept"]);
  expect(deeds(await said({ accept: ["aaaa1111"], drop: ["bbbb2222"] })).toSorted()).toEqual([
    "accept",
    "drop",
  ]);
  const last = await said({ accept: ["aaaa1111", "cccc3333"] });
  expect(deeds(last).toSorted()).toEqual(["accept", "accept", "drop"]);
  expect(last.diff).toContain("+- Use tabs.");
  expect(last.diff).not.toContain("Write tests first.");
  expect(live()).toBe("# House\n");
});
