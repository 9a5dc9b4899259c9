import { spawn } from "node:child_process";
import { lookedRule } from "../../../test/support/looked.ts";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSkill } from "../../config/files/read-skill.ts";
import { memoryDocument } from "../../../test/support/night-input.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { hashText } from "../../core/canonical.ts";
import { taskEvidence } from "../../../test/support/task-evidence.ts";
import type { LearnedRule, LearnedEdit } from "../../core/rules/learned/learned-rule.ts";
import { type AdoptOfferOptions, adoptOffer } from "./adopt.ts";
import { chooseRules, chosenSoFar, readChoices, rejectProposal } from "./choose.ts";
import { diffOffer } from "./diff-proposal.ts";
import { listProposals, nightRun, openReview, readRejections } from "./offers.ts";
import { stageProposal } from "./stage.ts";
import { undoOffer } from "./undo.ts";
import { fileOperations } from "./file-operations.ts";
import { readReceipts } from "./receipts.ts";

const text = "# House rules\r\n\r\nBe  kind.\r\n";
const learned = (...rules: readonly string[]) =>
  [
    text,
    "<!-- whetstone:learned:start -->",
    ...rules.map((rule) => `- ${rule}`),
    "<!-- whetstone:learned:end -->\r\n",
  ].join("\r\n");

const rule = (
  edit: LearnedEdit | string,
  status: LearnedRule["status"] = "proven",
  more: Partial<LearnedRule> = {},
): LearnedRule => {
  const written: LearnedEdit = typeof edit === "string" ? { op: "add", text: edit } : edit;
  return {
    id: hashText(JSON.stringify(written)).slice(0, 16),
    document: "memory:CLAUDE.md",
    edit: written,
    origin: status === "stated" ? "stated" : "learned",
    provenance: { conversations: ["codex:a", "pi:b"], tasks: ["t0"] },
    evidence: status === "stated" ? [] : taskEvidence(status === "proven" ? 8 : 1, 1, 0),
    status,
    reason: "Because.",
    ...more,
  };
};

/** A project with a memory file, and nights that propose rules for it. */
async function openProject(content: string | null = text) {
  const dir = await tempDir();
  const path = join(dir, "CLAUDE.md");
  if (content !== null) writeFileSync(path, content);
  const journalDir = join(dir, ".whetstone");
  const live = () => readFileSync(path, "utf8");
  let clock = 1_790_000_000_000;
  const stage = async (
    rules: readonly LearnedRule[],
    { night = "2026-10-03", gate = "on" }: { night?: string; gate?: "on" | "off" } = {},
  ) => {
    const document = memoryDocument(existsSync(path) ? live() : "", path);
    clock += 1000;
    const review = await stageProposal({
      journalDir,
      night,
      document,
      gate,
      rules: rules.map((each) => ({
        ...lookedRule(each),
        conversations: [{ id: "codex:a", source: "codex", date: "2026-10-02", words: ["no, use pnpm"] }],
      })),
      rejected: [],
      now: () => clock,
    });
    if (review === undefined) throw new Error("nothing was staged");
    return review;
  };
  const adopt = (id: string, options: Partial<AdoptOfferOptions> = {}) =>
    adoptOffer(nightRun(journalDir, id), { ...options });
  return { dir, path, journalDir, live, stage, adopt };
}

const brief = rule("Prefer short sentences.");
const promising = rule("Write tests first.", "open");
const stated = rule("Greet people by name.", "stated");

test("a staged proposal shows its rules with what is known of each, and changes nothing live", async () => {
  const { stage, live, journalDir } = await openProject();
  const refused = rule("Talk like a pirate.", "refused");
  const review = await stage([brief, promising, stated, refused]);
  expect(live()).toBe(text);
  expect(review.rules.map(({ label }) => label)).toEqual([
    "proven (0 of 24 → 24 of 24 on 8 of your tasks)",
    "promising, not proven (0 of 3 → 3 of 3 on 1 of your tasks)",
    "stated by you, not measured",
  ]);
  expect(review.rejected).toEqual([{ id: refused.id, text: "Talk like a pirate.", reason: "Because." }]);
  expect(listProposals(journalDir)).toEqual([review]);
  const { lines } = await diffOffer(nightRun(journalDir, review.id));
  expect(lines.join("\n")).toContain("+- Prefer short sentences.");
  expect(lines.join("\n")).not.toContain("Write tests first.");
  expect(statSync(join(journalDir, "proposals")).mode & 0o077).toBe(0);
});

test("the same night staged again is the same proposal", async () => {
  const { stage, journalDir } = await openProject();
  const first = await stage([brief]);
  expect(await stage([brief])).toEqual(first);
  expect(readdirSync(join(journalDir, "proposals"))).toEqual([first.id]);
});

test("a rule whose target is not in the document is not offered, and the review says why", async () => {
  const { stage } = await openProject();
  const lost = rule({ op: "replace", target: "Gone.", text: "Here." });
  const review = await stage([lost, brief]);
  expect(review.rules.map(({ id }) => id)).toEqual([brief.id]);
  expect(review.rejected).toEqual([
    { id: lost.id, text: "Here.", reason: "It can't be written: the rule that it changes isn't there." },
  ]);
});

test("adopting takes what is proven or stated, says what is known of each, and undo gives back every byte", async () => {
  const { stage, adopt, live, journalDir, path } = await openProject();
  const { id } = await stage([brief, promising, stated]);
  const adopted = await adopt(id);
  expect(live()).toBe(learned("Prefer short sentences.", "Greet people by name."));
  expect(adopted).toMatchObject({
    kind: "adopted",
    receipt: {
      proven: false,
      rules: [
        { id: brief.id, label: expect.stringMatching(/^proven/) },
        { id: stated.id, label: "stated by you, not measured" },
      ],
    },
  });
  expect(adopted.lines.join("\n")).toContain("stated by you, not measured");
  expect(openReview(nightRun(journalDir, id))).toMatchObject({
    state: "adopted",
    rules: [
      { id: brief.id, receipt: expect.any(String) },
      { id: promising.id },
      { id: stated.id, receipt: expect.any(String) },
    ],
  });
  expect(await adopt(id)).toMatchObject({ kind: "already-adopted" });
  expect((await undoOffer(nightRun(journalDir, id))).kind).toBe("undone");
  expect(readFileSync(path)).toEqual(Buffer.from(text));
  expect(openReview(nightRun(journalDir, id)).state).toBe("staged");
});

test("proven rules alone are a proven receipt", async () => {
  const { stage, adopt } = await openProject();
  const { id } = await stage([brief]);
  expect(await adopt(id)).toMatchObject({ receipt: { proven: true } });
});

test("an unproven rule needs the explicit word, and the receipt says unproven", async () => {
  const { stage, adopt, live } = await openProject();
  const { id } = await stage([promising]);
  await expect(adopt(id)).rejects.toMatchObject({
    code: "unproven",
    message: expect.stringContaining("promising, not proven (0 of 3 → 3 of 3 on 1 of your tasks)"),
    hint: expect.stringContaining(`--accept ${promising.id.slice(0, 8)} --unproven`),
  });
  const decisions = { [promising.id]: { deed: "accept" } } as const;
  await expect(adopt(id, { decisions })).rejects.toMatchObject({ code: "unproven" });
  expect(live()).toBe(text);
  expect(await adopt(id, { decisions, unproven: true })).toMatchObject({ receipt: { proven: false } });
  expect(live()).toBe(learned("Write tests first."));
});

test("with the gate off everything is called unverified, and is adopted only as that", async () => {
  const { stage, adopt } = await openProject();
  const { id, rules } = await stage([promising], { gate: "off" });
  expect(rules[0]?.label).toBe("unverified: the gate was off");
  await expect(adopt(id)).rejects.toMatchObject({ code: "unproven" });
  const adopted = await adopt(id, { unproven: true });
  expect(adopted.lines.at(-1)).toContain("unverified: the gate was off");
});

test("fault 26: each rule is accepted, dropped or edited by itself, and exactly the chosen bytes are shown and written", async () => {
  const { stage, adopt, live, journalDir } = await openProject();
  const { id } = await stage([brief, promising, stated]);
  const decisions = {
    [brief.id]: { deed: "edit", text: "Prefer very short sentences.\n" },
    [promising.id]: { deed: "accept" },
    [stated.id]: { deed: "drop" },
  } as const;
  await chooseRules(nightRun(journalDir, id), decisions);
  expect(chosenSoFar(openReview(nightRun(journalDir, id))).rules.map(({ label }) => label)).toEqual([
    "edited by you, not measured",
    "promising, not proven (0 of 3 → 3 of 3 on 1 of your tasks)",
  ]);
  const { proposal, diff } = await diffOffer(nightRun(journalDir, id));
  expect(diff).toContain("+- Prefer very short sentences.");
  // what was chosen before holds until something else is
  const adopted = await adopt(id, { unproven: true, acknowledge: ["not-looked-at"] });
  const wanted = learned("Prefer very short sentences.", "Write tests first.");
  expect(live()).toBe(wanted);
  expect(proposal.files[0]?.proposed).toBe(hashText(wanted));
  expect(adopted).toMatchObject({ receipt: { files: [{ after: hashText(wanted) }] } });
});

test("once a rule is accepted by name, only what is named is taken", async () => {
  const { stage, adopt, live } = await openProject();
  const { id } = await stage([brief, stated]);
  await adopt(id, { decisions: { [stated.id]: { deed: "accept" } } });
  expect(live()).toBe(learned("Greet people by name."));
});

test("fault 26: when the live file changed since, the rules go into it as it is now, and undo gives back that text", async () => {
  const { stage, adopt, live, path, journalDir } = await openProject(learned("Old rule."));
  const replace = rule({ op: "replace", target: "Old rule.", text: "New rule." });
  const { id } = await stage([replace, brief]);
  const mine = `Mine, on top.\r\n${learned("Old rule.", "A rule of my own.")}And below, without a line end.`;
  writeFileSync(path, mine);
  await expect(adopt(id)).rejects.toMatchObject({
    code: "live-changed",
    hint: expect.stringContaining("--merge"),
  });
  expect(live()).toBe(mine);
  const adopted = await adopt(id, { merge: true });
  expect(live()).toBe(
    `Mine, on top.\r\n${learned("New rule.", "A rule of my own.", "Prefer short sentences.")}And below, without a line end.`,
  );
  expect(adopted).toMatchObject({ kind: "adopted", receipt: { proven: false } });
  await undoOffer(nightRun(journalDir, id));
  expect(live()).toBe(mine);
});

test("fault 26: a rule that changed on both sides is a conflict, refused with both texts and the way out", async () => {
  const { stage, adopt, live, path } = await openProject(learned("Old rule."));
  const { id } = await stage([rule({ op: "replace", target: "Old rule.", text: "New rule." })]);
  const mine = learned("Old rule, my way.");
  writeFileSync(path, mine);
  await expect(adopt(id, { merge: true })).rejects.toMatchObject({
    code: "live-changed",
    message: expect.stringMatching(
      /line 5 .* the rule that it changes isn't there:\n +was +Old rule\.\n +proposed New rule\.$/s,
    ),
    hint: expect.stringContaining(`whetstone diff ${id}`),
  });
  expect(live()).toBe(mine);
});

test("fault 26: a rejected rule is kept with its reason for later nights, and is not adopted", async () => {
  const { stage, adopt, live, journalDir } = await openProject();
  const { id } = await stage([brief, stated]);
  const run = nightRun(journalDir, id);
  await chooseRules(
    run,
    readChoices(openReview(run), { reject: { [brief.id.slice(0, 6)]: " We use npm here. " } }),
  );
  expect(readRejections(listProposals(journalDir))).toMatchObject([
    { proposal: id, document: "memory:CLAUDE.md", rule: { id: brief.id }, reason: "We use npm here." },
  ]);
  await adopt(id);
  expect(live()).toBe(learned("Greet people by name."));
  await expect(rejectProposal(nightRun(journalDir, id), "no")).rejects.toMatchObject({ code: "usage" });
});

test("a rule that was accepted and then rejected is not written; accepting it again takes the rejection back", async () => {
  const { stage, adopt, live, journalDir } = await openProject();
  const { id } = await stage([brief, stated]);
  const both = { [brief.id]: { deed: "accept" }, [stated.id]: { deed: "accept" } } as const;
  await chooseRules(nightRun(journalDir, id), both);
  await chooseRules(nightRun(journalDir, id), { [stated.id]: { deed: "reject", reason: "No, never." } });
  await adopt(id);
  expect(live()).toBe(learned("Prefer short sentences."));
  expect(readRejections(listProposals(journalDir))).toMatchObject([
    { rule: { id: stated.id }, reason: "No, never." },
  ]);
  await undoOffer(nightRun(journalDir, id));
  await adopt(id, { decisions: both });
  expect(live()).toBe(learned("Prefer short sentences.", "Greet people by name."));
  expect(readRejections(listProposals(journalDir))).toEqual([]);
});

test("who rejects or chooses a rule that is not there, or adopts a proposal that is not, leaves no file behind", async () => {
  const { stage, adopt, journalDir } = await openProject();
  const { id } = await stage([brief]);
  const locks = () => (existsSync(join(journalDir, "locks")) ? readdirSync(join(journalDir, "locks")) : []);
  const before = locks();
  const nothing = { nothing: { deed: "accept" } } as const;
  const refused = [
    () => chooseRules(nightRun(journalDir, id), { ["nothing"]: { deed: "reject", reason: "No." } }),
    () => rejectProposal(nightRun(journalDir, "nobody"), "No."),
    () => chooseRules(nightRun(journalDir, id), nothing),
    () => adopt("nobody"),
  ];
  for (const each of refused) await expect(each()).rejects.toMatchObject({ code: expect.any(String) });
  expect(locks()).toEqual(before);
});

test("a rejected proposal gives every rule its reason; a rule of it can still be taken by name", async () => {
  const { stage, adopt, live, journalDir } = await openProject();
  const { id } = await stage([brief, stated]);
  await expect(rejectProposal(nightRun(journalDir, id), " ")).rejects.toMatchObject({ code: "usage" });
  await rejectProposal(nightRun(journalDir, id), "Not now.");
  expect(openReview(nightRun(journalDir, id))).toMatchObject({ state: "rejected", reason: "Not now." });
  expect(readRejections(listProposals(journalDir)).map(({ reason }) => reason)).toEqual([
    "Not now.",
    "Not now.",
  ]);
  await expect(adopt(id)).rejects.toMatchObject({ message: expect.stringContaining("Not now.") });
  await adopt(id, { decisions: { [brief.id]: { deed: "accept" } } });
  expect(live()).toBe(learned("Prefer short sentences."));
  expect(readRejections(listProposals(journalDir))).toEqual([]);
});

test("a newer proposal for the same document supersedes the older one, which stays to be read", async () => {
  const { stage, adopt, journalDir } = await openProject();
  const first = await stage([promising]);
  const second = await stage([brief, promising], { night: "2026-10-04" });
  expect(listProposals(journalDir).map(({ id, state }) => [id, state])).toEqual([
    [first.id, "superseded"],
    [second.id, "staged"],
  ]);
  await expect(adopt(first.id, { unproven: true })).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining(second.id),
  });
  expect((await diffOffer(nightRun(journalDir, first.id))).diff).toContain("Write tests first.");
});

test("fault 26: the second night's proposal keeps the first night's adopted rules byte for byte, and undo goes back step by step", async () => {
  const { stage, adopt, live, journalDir } = await openProject();
  const lines = rule(
    "Commit like this:\n\n```sh\ngit commit   -m '…'\n```\n  - and  never `git commit --no-verify`",
  );
  const first = await stage([lines, stated]);
  const { powers } = await diffOffer(nightRun(journalDir, first.id));
  await expect(adopt(first.id)).rejects.toMatchObject({ code: "unacknowledged" });
  await adopt(first.id, { acknowledge: powers.map(({ id }) => id) });
  const afterFirst = live();
  const second = await stage([brief], { night: "2026-10-04" });
  await adopt(second.id);
  const end = "<!-- whetstone:learned:end -->\r\n";
  expect(live()).toBe(`${afterFirst.slice(0, -end.length)}- Prefer short sentences.\r\n${end}`);
  expect(openReview(nightRun(journalDir, first.id)).state).toBe("adopted");
  await expect(undoOffer(nightRun(journalDir, first.id))).rejects.toMatchObject({
    hint: expect.stringContaining(`whetstone undo ${second.id}`),
  });
  await undoOffer(nightRun(journalDir, second.id));
  expect(live()).toBe(afterFirst);
  await undoOffer(nightRun(journalDir, first.id));
  expect(live()).toBe(text);
});

test("a document that is not there yet is made by adopting and gone again by undo", async () => {
  const { stage, adopt, live, journalDir, path } = await openProject(null);
  const { id } = await stage([brief]);
  await adopt(id);
  expect(live()).toBe(
    "<!-- whetstone:learned:start -->\n- Prefer short sentences.\n<!-- whetstone:learned:end -->\n",
  );
  await undoOffer(nightRun(journalDir, id));
  expect(existsSync(path)).toBe(false);
});

test("a skill of several files gets its rules in its main file; what stands beside it belongs to the verdict", async () => {
  const main = "---\nname: pdf\ndescription: Reads PDF files.\n---\n\n# PDF\n";
  const dir = await tempDir({ "pdf/SKILL.md": main, "pdf/scripts/read.py": "print(1)\n" });
  const journalDir = join(dir, ".whetstone");
  const path = join(dir, "pdf");
  const review = await stageProposal({
    journalDir,
    night: "2026-10-03",
    document: {
      id: "skill:pdf",
      kind: "skill",
      scope: "project",
      name: "pdf",
      path,
      skill: await readSkill(path),
    },
    gate: "on",
    rules: [brief, stated].map(lookedRule),
    rejected: [],
  });
  const run = nightRun(journalDir, review?.id ?? "");
  const options = { decisions: { [brief.id]: { deed: "accept" } } } as const;
  writeFileSync(join(path, "scripts/read.py"), "print(2)\n");
  await expect(adoptOffer(run, options)).rejects.toMatchObject({
    code: "unproven",
    message: expect.stringContaining("scripts/read.py"),
  });
  writeFileSync(join(path, "scripts/read.py"), "print(1)\n");
  expect(await adoptOffer(run, options)).toMatchObject({
    receipt: { proven: true, live: { kind: "folder" } },
  });
  expect(readFileSync(join(path, "SKILL.md"), "utf8")).toBe(
    `${main}\n<!-- whetstone:learned:start -->\n- Prefer short sentences.\n<!-- whetstone:learned:end -->\n`,
  );
  await undoOffer(run);
  expect(readFileSync(join(path, "SKILL.md"), "utf8")).toBe(main);
});

test("rules that exclude one another are refused together, and nothing changes", async () => {
  const { stage, adopt, live } = await openProject(learned("Old rule."));
  const one = rule({ op: "replace", target: "Old rule.", text: "New rule." });
  const other = rule({ op: "delete", target: "Old rule." });
  const { id } = await stage([one, other]);
  await expect(adopt(id)).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining(other.id.slice(0, 8)),
  });
  await adopt(id, { decisions: { [other.id]: { deed: "drop" } } });
  expect(live()).toBe(learned("New rule."));
});

test("an adoption that was interrupted is finished first, as it was chosen then", async () => {
  const { stage, adopt, live, journalDir, path } = await openProject();
  const { id } = await stage([brief, stated]);
  let renames = 0;
  const operations = {
    ...fileOperations,
    rename(from: string, to: string) {
      renames += to === path ? 1 : 0;
      if (to === path && renames === 1) throw new Error("EIO: killed");
      fileOperations.rename(from, to);
    },
  };
  const decisions = { [brief.id]: { deed: "accept" } } as const;
  await expect(adopt(id, { decisions, operations })).rejects.toMatchObject({ code: "live-write" });
  expect(readReceipts(journalDir, { kind: "file", path })[0]?.phase).toBe("adopting");
  const other = { decisions: { [stated.id]: { deed: "accept" } } } as const;
  await expect(adopt(id, other)).rejects.toMatchObject({ code: "live-changed" });
  expect(live()).toBe(learned("Prefer short sentences."));
  expect((await adopt(id)).kind).toBe("already-adopted");
});

test("fault 26: the lock of a process that was killed holds nobody up", async () => {
  const { stage, adopt, live, journalDir, path } = await openProject();
  const { id } = await stage([brief]);
  const module = (name: string) => JSON.stringify(join(import.meta.dirname, name));
  const worker = `
    const { holdingProposal } = await import(${module("offers.ts")});
    const { holdingLive } = await import(${module("live-target.ts")});
    holdingProposal(${JSON.stringify(nightRun(journalDir, id))}, async () =>
      holdingLive(${JSON.stringify(journalDir)}, { kind: "file", path: ${JSON.stringify(path)} }, () => {
        process.stdout.write("held");
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      }));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", worker], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  await expect(adopt(id)).rejects.toMatchObject({ code: "live-locked" });
  child.kill("SIGKILL");
  await once(child, "exit");
  expect((await adopt(id)).kind).toBe("adopted");
  expect(live()).toBe(learned("Prefer short sentences."));
});
