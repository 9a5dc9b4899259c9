import { expect, test } from "vitest";
import { hashText } from "../canonical.ts";
import { compareLive } from "./compare-live.ts";
import { makeProposal, parseProposal } from "./proposal.ts";

const original = {
  main: "SKILL.md",
  files: { "SKILL.md": "old\n", "gone.md": "gone\n", "same.md": "same\n" },
};
const best = { main: "SKILL.md", files: { "SKILL.md": "new\n", "added.md": "added\n", "same.md": "same\n" } };
const proposal = makeProposal({ run: "r1", original, best });

test("a proposal names only the files that change, and beside what they were judged", () => {
  expect(proposal).toEqual({
    v: 1,
    run: "r1",
    verdict: "not-tested",
    proven: false,
    reason: "No sealed test was run, so no gain is claimed.",
    main: "SKILL.md",
    files: [
      { path: "SKILL.md", op: "replace", live: hashText("old\n"), proposed: hashText("new\n") },
      { path: "added.md", op: "add", live: null, proposed: hashText("added\n") },
      { path: "gone.md", op: "delete", live: hashText("gone\n"), proposed: null },
    ],
    kept: [{ path: "same.md", hash: hashText("same\n") }],
  });
});

test.each(["better", "worse", "higher", "lower", "no-difference", "not-proven", "undecided"] as const)(
  "%s by the sealed test: proven only when better",
  (verdict) => {
    const sealed = { verdict, sentence: "Because." };
    const { proven, reason } = makeProposal({ run: "r1", original, best, sealed });
    expect({ proven, reason }).toEqual({ proven: verdict === "better", reason: "Because." });
  },
);

test("a proposal survives its text, and a broken text is a sentence", () => {
  expect(parseProposal(JSON.stringify(proposal))).toEqual(proposal);
  expect(parseProposal("{")).toEqual(expect.stringContaining("JSON"));
  const [file] = proposal.files;
  const wrong = { ...proposal, files: [{ ...file, op: "add" }] };
  expect(parseProposal(JSON.stringify(wrong))).toEqual(expect.stringContaining("op doesn't match"));
});

const state = (files: Readonly<Record<string, string>>) =>
  compareLive(proposal, (path) => (files[path] === undefined ? null : hashText(files[path])));

test("live files are ready, adopted or changed", () => {
  expect(state(original.files)).toEqual({ kind: "ready", moved: [] });
  expect(state({ ...original.files, "same.md": "other\n" })).toEqual({ kind: "ready", moved: ["same.md"] });
  expect(state(best.files)).toEqual({ kind: "adopted" });
  expect(state({ "SKILL.md": "mine\n", "added.md": "mine\n" })).toEqual({
    kind: "changed",
    files: [
      { path: "SKILL.md", what: "was changed" },
      { path: "added.md", what: "was created" },
      { path: "gone.md", what: "already matches the proposal, but others don't" },
    ],
  });
  expect(state({ "gone.md": "gone\n" })).toEqual({
    kind: "changed",
    files: [{ path: "SKILL.md", what: "was deleted" }],
  });
});
