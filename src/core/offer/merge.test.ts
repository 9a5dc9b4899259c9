import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeTexts } from "./merge.ts";

const base = "# A\n\n- one\n- two\n- three\n- four\n- five\n";

test("changes in different places both stay, byte for byte", () => {
  const live = base.replace("- one", "- one, of mine");
  const proposed = base.replace("- five\n", "- five\n- six\n");
  expect(mergeTexts(base, live, proposed)).toEqual({
    kind: "merged",
    text: "# A\n\n- one, of mine\n- two\n- three\n- four\n- five\n- six\n",
  });
});

test("two versions of one line are a conflict that shows both, and neither is taken", () => {
  const live = `added\n${base.replace("- two", "- mine")}`;
  expect(mergeTexts(base, live, base.replace("- two", "- theirs"))).toEqual({
    kind: "conflict",
    conflicts: [{ line: 5, base: ["- two"], live: ["- mine"], proposed: ["- theirs"] }],
  });
});

test("every conflict is reported, also beside changes that would merge", () => {
  const live = base.replace("one", "1").replace("five", "5");
  const proposed = base.replace("one", "eins").replace("three", "drei").replace("five", "fünf");
  const merged = mergeTexts(base, live, proposed);
  if (merged.kind !== "conflict") throw new Error(merged.kind);
  expect(merged.conflicts.map(({ line, proposed: [first] }) => [line, first])).toEqual([
    [3, "- eins"],
    [7, "- fünf"],
  ]);
});

test("one side deletes what the other changed: a conflict", () => {
  expect(mergeTexts(base, base.replace("- two\n", ""), base.replace("two", "2")).kind).toBe("conflict");
});

test("a last line with and without its end are two lines", () => {
  expect(mergeTexts("a\nb\nc", "a\nb\nc\n", "x\nb\nc")).toEqual({ kind: "merged", text: "x\nb\nc\n" });
});

const lines = fc.array(fc.constantFrom("", "a", "b", "c"), { maxLength: 8 }).map((all) => all.join("\n"));

test("what only one side changed is that side's; what both made alike is one change", () => {
  fc.assert(
    fc.property(lines, lines, (old, now) => {
      const result = { kind: "merged", text: now };
      expect(mergeTexts(old, now, old)).toEqual(result);
      expect(mergeTexts(old, old, now)).toEqual(result);
      expect(mergeTexts(old, now, now)).toEqual(result);
    }),
  );
});

test("sides may change places: the same text, or conflicts in the same base lines", () => {
  fc.assert(
    fc.property(lines, lines, lines, (old, one, other) => {
      const [left, right] = [mergeTexts(old, one, other), mergeTexts(old, other, one)];
      if (left.kind === "merged") expect(right).toEqual(left);
      else
        expect(right.kind === "conflict" && right.conflicts.map(({ base }) => base)).toEqual(
          left.conflicts.map(({ base }) => base),
        );
    }),
  );
});

/** Distinct lines, so that there is one way to see what changed. */
const edited = fc
  .record({
    size: fc.integer({ min: 3, max: 30 }),
    changes: fc.array(
      fc.record({
        at: fc.nat(29),
        what: fc.constantFrom("replace", "delete", "insert"),
        side: fc.constantFrom("live", "proposed"),
      }),
      { maxLength: 6 },
    ),
  })
  .map(({ size, changes }) => {
    const old = Array.from({ length: size }, (_, at) => `line ${at}`);
    const write = (side: string) =>
      old.flatMap((line, at) => {
        const change = changes.find((each) => each.side === side && each.at === at);
        if (change === undefined) return [line];
        return { replace: [`${side} ${at}`], delete: [], insert: [line, `${side} ${at}`] }[change.what] ?? [];
      });
    const text = (all: readonly string[]) => all.map((line) => `${line}\n`).join("");
    return { base: text(old), live: text(write("live")), proposed: text(write("proposed")) };
  });

test("it agrees with git merge-file wherever git finds no conflict, and never merges what git refuses", () => {
  const dir = mkdtempSync(join(tmpdir(), "whetstone-merge-"));
  try {
    fc.assert(
      fc.property(edited, ({ base: old, live, proposed }) => {
        const files = { live, base: old, proposed };
        for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
        const merged = mergeTexts(old, live, proposed);
        let byGit: string | undefined;
        try {
          byGit = execFileSync("git", ["merge-file", "-p", "live", "base", "proposed"], {
            cwd: dir,
            encoding: "utf8",
            stdio: ["ignore", "pipe", "ignore"],
          });
        } catch {
          byGit = undefined;
        }
        expect(merged.kind === "merged" ? merged.text : undefined).toBe(byGit);
      }),
      { numRuns: 60 },
    );
  } finally {
    rmSync(dir, { recursive: true });
  }
});
