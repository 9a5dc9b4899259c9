import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { ClaimWord } from "../../core/verdict-words.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { adoptOffer, finishAll } from "./adopt.ts";
import { diffOffer } from "./diff-proposal.ts";
import { undoOffer } from "./undo.ts";
import { type FileOperations, fileOperations } from "./file-operations.ts";
import { writeTarget } from "./live-target.ts";
import { lookedAt } from "../../../test/support/looked.ts";
import { type FinishedRun, proposalArtifacts } from "./proposal.ts";
import { readReceipts } from "./receipts.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "whetstone-adopt-"));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

type Files = Readonly<Record<string, string>>;

const put = (folder: string, files: Files) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
};

const exported = (name: string, { main, files }: Skill): Files =>
  Object.keys(files).length === 1
    ? { [`${name}.md`]: files[main]! }
    : Object.fromEntries(Object.entries(files).map(([path, text]) => [`${name}/${path}`, text]));

/** A finished run on the skill at `path`, with what a real one writes. */
async function finish(
  path: string,
  original: Files,
  best: Files,
  {
    verdict = "better",
    run = "run1",
    main = "SKILL.md",
  }: { verdict?: ClaimWord; run?: string; main?: string } = {},
): Promise<FinishedRun> {
  const skills = { original: { main, files: original }, best: { main, files: best } };
  const folder = join(dir, run);
  const journalDir = join(dir, ".whetstone");
  await writeTarget(run, { skillPath: path, journalDir } as Resolved);
  put(folder, {
    ...exported("skills/skill_v0000", skills.original),
    ...exported("best_skill", skills.best),
    ...proposalArtifacts({
      run,
      ...skills,
      sealed: { verdict, sentence: "+9 points." },
      looked: lookedAt(skills.best),
    }),
  });
  return { run, folder, journalDir };
}

const single = async (old = "old\n", now = "new\n", options = {}) => {
  const path = join(dir, "SKILL.md");
  writeFileSync(path, old);
  return { path, run: await finish(path, { "SKILL.md": old }, { "SKILL.md": now }, options) };
};

const before = { "SKILL.md": "old\n", "gone/gone.md": "gone\n", "same.md": "same\r\n" };
const after = { "SKILL.md": "new\n", "made/deep/added.md": "added\n", "same.md": "same\r\n" };
const folder = async () => {
  const path = join(dir, "skill");
  put(path, before);
  return { path, run: await finish(path, before, after) };
};

/** Every file below a folder, empty folders with a slash. */
const tree = (root: string): Files =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(root.length + 1);
      return entry.isFile() ? [name, readFileSync(path, "utf8")] : [`${name}/`, ""];
    }),
  );

test("one file is adopted and undone to the byte, with its mode", async () => {
  const { path, run } = await single("\uFEFFold\r\n", "\uFEFFnew\r\n");
  chmodSync(path, 0o640);
  const adopted = await adoptOffer(run);
  expect(adopted).toMatchObject({ kind: "adopted", receipt: { phase: "adopted", run: "run1" } });
  expect(readFileSync(path, "utf8")).toBe("\uFEFFnew\r\n");
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(adopted.lines.join("\n")).toContain("whetstone undo run1");
  expect((await adoptOffer(run)).kind).toBe("already-adopted");

  expect((await undoOffer(run)).kind).toBe("undone");
  expect(readFileSync(path, "utf8")).toBe("\uFEFFold\r\n");
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect((await undoOffer(run)).kind).toBe("already-undone");
  expect(readdirSync(dir).toSorted()).toEqual([".whetstone", "SKILL.md", "run1"]);
});

test("a folder gets added, replaced and deleted files; what stays is not touched", async () => {
  const { path, run } = await folder();
  chmodSync(join(path, "gone/gone.md"), 0o755);
  const untouched = statSync(join(path, "same.md"));
  await adoptOffer(run);
  expect(tree(path)).toEqual({ ...after, "gone/": "", "made/": "", "made/deep/": "" });
  expect(statSync(join(path, "same.md"))).toMatchObject({ ino: untouched.ino, mtimeMs: untouched.mtimeMs });
  await undoOffer(run);
  expect(tree(path)).toEqual({ ...before, "gone/": "" });
  expect(statSync(join(path, "gone/gone.md")).mode & 0o777).toBe(0o755);
  await adoptOffer(run);
  expect(readReceipts(run.journalDir, { kind: "folder", path }).map(({ phase }) => phase)).toEqual([
    "undone",
    "adopted",
  ]);
});

test("a receipt says what changed and where the old bytes are", async () => {
  const { path, run } = await folder();
  const adopted = await adoptOffer(run);
  if (adopted.kind !== "adopted") throw new Error(adopted.kind);
  expect(tree(join(adopted.backup, "before"))).toEqual({
    "SKILL.md": "old\n",
    "gone/": "",
    "gone/gone.md": "gone\n",
  });
  expect(adopted.receipt).toMatchObject({ live: { kind: "folder", path }, folders: ["made", "made/deep"] });
  expect(adopted.receipt.files.map((file) => [file.path, file.before === null, file.after === null])).toEqual(
    [
      ["SKILL.md", false, false],
      ["gone/gone.md", false, true],
      ["made/deep/added.md", true, false],
    ],
  );
});

test.each<[string, (path: string) => void, string]>([
  ["changed", (path) => writeFileSync(join(path, "SKILL.md"), "mine\n"), "SKILL.md was changed"],
  [
    "deleted",
    (path) => rmSync(join(path, "gone"), { recursive: true }),
    "gone/gone.md already matches the proposal",
  ],
  ["made", (path) => put(path, { "made/deep/added.md": "mine\n" }), "added.md was created"],
  ["replaced by a link", (path) => linkInstead(path, "SKILL.md"), "SKILL.md is a link now"],
  ["in a folder that became a link", (path) => linkInstead(path, "gone"), "gone is a link now"],
  ["replaced by a folder", (path) => put(path, { "made/deep/added.md/x": "" }), "added.md is a folder now"],
])("a live file that was %s is refused by name, and nothing changes", async (_, change, sentence) => {
  const { path, run } = await folder();
  change(path);
  const found = tree(path);
  await expect(adoptOffer(run)).rejects.toMatchObject({
    code: "live-changed",
    message: expect.stringContaining(sentence),
    hint: expect.stringMatching(/./),
  });
  expect(tree(path)).toEqual(found);
  expect(existsSync(join(run.journalDir, "receipts"))).toBe(false);
});

function linkInstead(path: string, name: string) {
  rmSync(join(path, name), { recursive: true });
  put(dir, { "elsewhere/gone.md": "gone\n", "elsewhere.md": "old\n" });
  symlinkSync(join(dir, name === "gone" ? "elsewhere" : "elsewhere.md"), join(path, name));
}

test("a skill named by a link is changed where it lives, and the link stays", async () => {
  put(dir, { "real/skill.md": "old\n" });
  const link = join(dir, "SKILL.md");
  symlinkSync(join(dir, "real/skill.md"), link);
  const run = await finish(link, { "SKILL.md": "old\n" }, { "SKILL.md": "new\n" });
  await adoptOffer(run);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(dir, "real/skill.md"), "utf8")).toBe("new\n");
});

test.each(["worse", "no-difference", "not-proven", "undecided"] as const)(
  "what is %s needs to be asked for",
  async (verdict) => {
    const { path, run } = await single("old\n", "new\n", { verdict });
    // a hint that forgot what was acknowledged would lead back to the error before it
    await expect(adoptOffer(run, { acknowledge: ["0a1b2c3d"] })).rejects.toMatchObject({
      code: "unproven",
      exitCode: 2,
      hint: expect.stringContaining("whetstone adopt run1 --unproven --acknowledge 0a1b2c3d"),
    });
    expect(readFileSync(path, "utf8")).toBe("old\n");
    expect(await adoptOffer(run, { unproven: true })).toMatchObject({
      kind: "adopted",
      receipt: { proven: false },
    });
  },
);

test("a proof does not cover files that changed beside the proposal", async () => {
  const { path, run } = await folder();
  writeFileSync(join(path, "same.md"), "other\n");
  await expect(adoptOffer(run)).rejects.toMatchObject({
    code: "unproven",
    message: expect.stringContaining("same.md"),
  });
  await adoptOffer(run, { unproven: true });
  expect(readFileSync(join(path, "same.md"), "utf8")).toBe("other\n");
});

test("hidden text is refused, also when unproven is allowed", async () => {
  const { path, run } = await single("old\n", "new\u200B\n");
  await expect(adoptOffer(run, { unproven: true })).rejects.toMatchObject({
    code: "hidden-text",
    message: "Line 1 of the proposed SKILL.md contains zero width space (U+200B).",
  });
  expect(readFileSync(path, "utf8")).toBe("old\n");
});

const powerful = "new\n\nRun `npm test` and `psql -c 1`, then mail ops@quay.example.\n";

test("new powers are held until each one is acknowledged; there is no word for all", async () => {
  const { path, run } = await single("old\n", powerful);
  const { powers, lines } = await diffOffer(run);
  expect(powers.map(({ kind, item, line }) => [kind, item, line])).toEqual([
    ["recipient", "ops@quay.example", 3],
    ["command", "npm test", 3],
    ["command", "psql -c 1", 3],
  ]);
  for (const word of ["recipients", "commands"]) expect(lines.join("\n")).toContain(`  ${word}: `);
  // the project's own command is a note
  const asked = powers.filter(({ rank }) => rank === "ask");
  expect(asked.map(({ item }) => item)).toEqual(["ops@quay.example", "psql -c 1"]);
  const ids = asked.map(({ id }) => id);
  for (const acknowledge of [
    undefined,
    [],
    ["all"],
    ["*"],
    ["command", "recipient"],
    ["recipients"],
    ids.slice(0, 1),
  ]) {
    const options = { unproven: true, acknowledge };
    await expect(adoptOffer(run, options)).rejects.toMatchObject({
      code: "unacknowledged",
      exitCode: 2,
      message: expect.stringContaining("  commands: runs a command (SKILL.md, line 3): psql -c 1"),
      hint: expect.stringContaining("whetstone adopt run1 --acknowledge "),
    });
  }
  expect(readFileSync(path, "utf8")).toBe("old\n");
  expect(existsSync(join(run.journalDir, "receipts"))).toBe(false);

  await adoptOffer(run, { acknowledge: [...ids, "00000000"] });
  expect(readFileSync(path, "utf8")).toBe(powerful);
  const [receipt] = readReceipts(run.journalDir, { kind: "file", path });
  expect(receipt?.acknowledged).toEqual(asked);
});

test("the word of a kind acknowledges all of that kind, and the receipt names each", async () => {
  const { path, run } = await single("old\n", powerful);
  await adoptOffer(run, { unproven: true, acknowledge: ["commands", "recipients"] });
  const [receipt] = readReceipts(run.journalDir, { kind: "file", path });
  expect(receipt?.acknowledged?.map(({ item }) => item)).toContain("psql -c 1");
});

test("powers that the live text has already need no word", async () => {
  const { run } = await single(powerful, `${powerful}- more\n`);
  const adopted = await adoptOffer(run);
  expect(adopted).toMatchObject({ kind: "adopted" });
  expect(adopted.kind === "adopted" && "acknowledged" in adopted.receipt).toBe(false);
});

test("proposed bytes that are not the run's are refused", async () => {
  const { path, run } = await single();
  writeFileSync(join(run.folder, "best_skill.md"), "slipped in\n");
  await expect(adoptOffer(run)).rejects.toMatchObject({ code: "proposal-damaged" });
  expect(readFileSync(path, "utf8")).toBe("old\n");
});

test.each(["../x.md", "/x.md", ".git/hooks/x", "a//b", "a\\b"])(
  "a proposal for %s is refused",
  async (name) => {
    const path = join(dir, "skill");
    put(path, { "SKILL.md": "old\n", "b.md": "b\n" });
    const original = { "SKILL.md": "old\n", "b.md": "b\n" };
    const run = await finish(path, original, original);
    const [added] = JSON.parse(
      proposalArtifacts({
        run: "run1",
        original: { main: "SKILL.md", files: original },
        best: { main: "SKILL.md", files: { ...original, [name]: "x\n" } },
      })["proposal.json"],
    ).files;
    const file = join(run.folder, "proposal.json");
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), files: [added] }));
    await expect(adoptOffer(run)).rejects.toMatchObject({ code: "proposal-damaged" });
  },
);

test("a run that kept the original has nothing to adopt, one that was not adopted nothing to undo", async () => {
  const { run } = await single("old\n", "old\n");
  expect((await adoptOffer(run)).kind).toBe("nothing-to-adopt");
  await expect(undoOffer(run)).rejects.toMatchObject({ code: "not-found" });
  await expect(diffOffer({ ...run, run: "run2" })).rejects.toMatchObject({ code: "proposal-damaged" });
  rmSync(join(run.folder, "proposal.json"));
  await expect(diffOffer(run)).rejects.toMatchObject({ code: "not-found" });
});

test("undo leaves later work alone and says what to undo first", async () => {
  const { path, run } = await single();
  await adoptOffer(run);
  writeFileSync(path, "mine\n");
  await expect(undoOffer(run)).rejects.toMatchObject({
    code: "live-changed",
    hint: expect.stringContaining("git"),
  });
  expect(readFileSync(path, "utf8")).toBe("mine\n");

  writeFileSync(path, "new\n");
  const later = await finish(path, { "SKILL.md": "new\n" }, { "SKILL.md": "newer\n" }, { run: "run2" });
  await adoptOffer(later);
  await expect(undoOffer(run)).rejects.toMatchObject({
    hint: expect.stringContaining("whetstone undo run2"),
  });
  await undoOffer(later);
  await undoOffer(run);
  expect(readFileSync(path, "utf8")).toBe("old\n");
});

test("diff gives the verdict first, then the change, then the hashes", async () => {
  const { run } = await single();
  const { lines, state } = await diffOffer(run);
  expect(state).toEqual({ kind: "ready", moved: [] });
  expect(lines[0]).toBe("Run run1: better. +9 points.");
  expect(lines).toContain("-old");
  expect(lines).toContain("+new");
  expect(lines.at(-1)).toMatch(/^replace SKILL\.md\n {2}live {5}[0-9a-f]{64}\n {2}proposed [0-9a-f]{64}$/);
  await adoptOffer(run);
  expect((await diffOffer(run)).lines[1]).toContain("already matches the proposal");
});

test("diff names what adopt will refuse, and prints none of it raw", async () => {
  const { run } = await single("old\n", "new \u001B[8mhidden\n");
  const { lines, unsafe } = await diffOffer(run);
  expect(unsafe).toEqual(["SKILL.md, line 1: ANSI escape (U+001B)"]);
  expect(lines.join("\n")).toContain("+new <U+001B>[8mhidden");
  expect(lines.join("\n")).not.toContain("\u001B");
});

/** Fails at one operation of a kind, or from there on: a disk that is full for a moment, or for good. */
const failing = (
  name: keyof FileOperations,
  at: number,
  until = Number.POSITIVE_INFINITY,
): FileOperations => {
  let count = 0;
  const operation = fileOperations[name] as (...args: unknown[]) => unknown;
  const counted = (...args: unknown[]) => {
    count += 1;
    if (count >= at && count <= until) throw new Error("ENOSPC: no space left on device");
    return operation(...args);
  };
  return { ...fileOperations, [name]: counted };
};

// 1 to 4 write the backups, 5 the receipt, 6 and 7 the live files
test.each([1, 2, 3, 4, 5, 6, 7])("a disk that is full at write %i changes no live file", async (at) => {
  const { path, run } = await folder();
  for (const until of [at, Number.POSITIVE_INFINITY]) {
    await expect(adoptOffer(run, { operations: failing("write", at, until) })).rejects.toMatchObject({
      code: "live-write",
      message: expect.stringContaining("ENOSPC"),
    });
    expect(tree(path)).toEqual({ ...before, "gone/": "" });
  }
  await adoptOffer(run);
  expect(tree(path)).toEqual({ ...after, "gone/": "", "made/": "", "made/deep/": "" });
});

test("a change between a crash and the next command is not overwritten", async () => {
  const { path, run } = await folder();
  await expect(adoptOffer(run, { operations: failing("rename", 7) })).rejects.toMatchObject({
    code: "live-write",
  });
  const [open] = readReceipts(run.journalDir, { kind: "folder", path });
  expect(open?.phase).toBe("adopting");
  const mine = readFileSync(join(path, "SKILL.md"), "utf8");
  writeFileSync(join(path, "SKILL.md"), "mine\n");
  for (const command of [adoptOffer, undoOffer])
    await expect(command(run)).rejects.toMatchObject({
      code: "live-changed",
      hint: expect.stringContaining(join("before", "SKILL.md")),
    });
  expect(readFileSync(join(path, "SKILL.md"), "utf8")).toBe("mine\n");
  writeFileSync(join(path, "SKILL.md"), mine);
  const half = tree(path);
  const sentence = `An adopt of run run1 on ${path} was interrupted.`;
  expect((await diffOffer(run)).lines[0]).toBe(`${sentence} \`whetstone adopt --finish\` finishes it.`);
  await expect(adoptOffer(run, { check: true })).rejects.toMatchObject({
    message: sentence,
    hint: "`whetstone adopt --finish` finishes it.",
  });
  expect(tree(path)).toEqual(half);
  expect(finishAll(run.journalDir)).toMatchObject({ kind: "finished", receipts: [{ phase: "adopted" }] });
  expect(finishAll(run.journalDir).lines).toEqual(["No adopt or undo was interrupted."]);
  expect(tree(path)).toEqual({ ...after, "gone/": "", "made/": "", "made/deep/": "" });
});

test("only one process at a time changes a skill", async () => {
  const { path, run } = await single();
  const worker = `
    const { holdingLive } = await import(${JSON.stringify(join(import.meta.dirname, "live-target.ts"))});
    holdingLive(${JSON.stringify(run.journalDir)}, { kind: "file", path: ${JSON.stringify(path)} }, () => {
      process.stdout.write("held");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", worker], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  await expect(adoptOffer(run)).rejects.toMatchObject({ code: "live-locked" });
  child.kill("SIGKILL");
  await once(child, "exit");
  expect((await adoptOffer(run)).kind).toBe("adopted");
});

test("a skill given in code has no live place, and adopt says what to do", async () => {
  const { run } = await single();
  rmSync(join(run.journalDir, "targets"), { recursive: true });
  await writeTarget("run1", { skillPath: "", journalDir: run.journalDir } as Resolved);
  await expect(adoptOffer(run)).rejects.toMatchObject({
    code: "not-found",
    hint: expect.stringContaining("best_skill"),
  });
});

test("what changed since is merged when asked for: both changes are there, unproven, and undo gives back your bytes", async () => {
  const { path, run } = await single(
    "# A\n\n- one\n- two\n- three\n",
    "# A\n\n- one\n- two\n- three\n- new\n",
  );
  const mine = "# A, mine\n\n- one\n- two\n- three\n";
  writeFileSync(path, mine);
  await expect(adoptOffer(run)).rejects.toMatchObject({
    code: "live-changed",
    hint: expect.stringContaining("whetstone adopt run1 --merge"),
  });
  const adopted = await adoptOffer(run, { merge: true });
  expect(readFileSync(path, "utf8")).toBe("# A, mine\n\n- one\n- two\n- three\n- new\n");
  expect(adopted).toMatchObject({ kind: "adopted", receipt: { proven: false } });
  expect(adopted.lines[0]).toContain("unproven");
  await undoOffer(run);
  expect(readFileSync(path, "utf8")).toBe(mine);
});

test("a merge of what is not proven still needs the word for that, and merging nothing keeps the verdict", async () => {
  const unproven = await single("a\nb\nc\n", "a\nb\nC\n", { verdict: "not-proven" });
  writeFileSync(unproven.path, "A\nb\nc\n");
  await expect(adoptOffer(unproven.run, { merge: true })).rejects.toMatchObject({ code: "unproven" });
  await adoptOffer(unproven.run, { merge: true, unproven: true });
  expect(readFileSync(unproven.path, "utf8")).toBe("A\nb\nC\n");

  const proven = await single("a\n", "b\n", { run: "run2" });
  expect(await adoptOffer(proven.run, { merge: true })).toMatchObject({ receipt: { proven: true } });
});

test("a merge that would have to choose is refused with the lines of all three, and nothing changes", async () => {
  const { path, run } = await single("- one\n- two\n", "- one\n- theirs\n");
  writeFileSync(path, "- one\n- mine\n");
  await expect(adoptOffer(run, { merge: true })).rejects.toMatchObject({
    code: "live-changed",
    message: [
      "Run run1 can't be merged without choosing a side:",
      `  ${path}: line 2 was changed, and the proposal changes it too:`,
      "    was      - two",
      "    is now   - mine",
      "    proposed - theirs",
    ].join("\n"),
    hint: expect.stringContaining("whetstone diff run1"),
  });
  expect(readFileSync(path, "utf8")).toBe("- one\n- mine\n");
});

test("in a folder each file is merged by itself, and one conflict stops them all", async () => {
  const { path, run } = await folder();
  rmSync(join(path, "gone"), { recursive: true });
  put(path, { "made/deep/added.md": "mine\n" });
  const found = tree(path);
  await expect(adoptOffer(run, { merge: true })).rejects.toMatchObject({
    message: expect.stringContaining("added.md: line 1 was changed"),
  });
  expect(tree(path)).toEqual(found);
  rmSync(join(path, "made"), { recursive: true });
  await adoptOffer(run, { merge: true });
  expect(tree(path)).toEqual({ ...after, "made/": "", "made/deep/": "" });
  await undoOffer(run);
  expect(tree(path)).toEqual({ "SKILL.md": "old\n", "same.md": "same\r\n" });
});
