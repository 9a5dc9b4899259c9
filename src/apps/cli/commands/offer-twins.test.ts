import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { capturedIo } from "../../../../test/support/captured-io.ts";
import { lookedRule } from "../../../../test/support/looked.ts";
import { memoryDocument } from "../../../../test/support/night-input.ts";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { sharedFolder } from "../../../config/state-folder.ts";
import { type Review, decisionsIn } from "../../../core/offer/review.ts";
import type { LearnedRule } from "../../../core/rules/learned/learned-rule.ts";
import { listWaiting, nightRun, openReview } from "../../../run/offer/offers.ts";
import { stageProposal } from "../../../run/offer/stage.ts";
import { adoptCommand, reviewCommand } from "./offer-commands.ts";

const files = ["CLAUDE.md", "AGENTS.md"];

/** A night that proposes two wishes, each for two files. */
async function openNight() {
  const dir = await tempDir(Object.fromEntries(files.map((name) => [name, "# House\n"])));
  const journalDir = sharedFolder(dir);
  const ids: string[] = [];
  for (const name of files) {
    const review = await stageProposal({
      journalDir,
      night: "2026-10-03",
      document: memoryDocument("# House\n", join(dir, name)),
      gate: "on",
      rules: ["Use tabs.", "Say please."].map((text, at) => ({
        ...lookedRule(rule(`${name}-${at}`, text, name)),
        conversations: ["a", "b"].map((id) => ({
          id: `codex:${id}`,
          source: "codex",
          date: "2026-10-02",
          words: [text],
        })),
        wish: { id: `w-${at}`, sentence: "You said this twice.", said: [], wordings: [], sameAs: [] },
      })),
      rejected: [],
    });
    ids.push((review as Review).id);
  }
  const { io, text } = capturedIo(dir);
  const flags = { journal: journalDir, json: false, unproven: false, merge: false, acknowledge: [] };
  const shown = (at: number) => openReview(nightRun(journalDir, ids[at] ?? ""));
  const live = (name: string) => readFileSync(join(dir, name), "utf8");
  return { journalDir, ids, io, text, flags, shown, live };
}

const rule = (id: string, text: string, file: string): LearnedRule => ({
  id,
  document: `memory:${file}`,
  edit: { op: "add", text },
  origin: "stated",
  provenance: { conversations: ["codex:a", "codex:b"], tasks: [] },
  evidence: [],
  status: "stated",
  reason: "",
});

test("a wish is one decision: what is dropped, rejected or edited for one file is so for the other", async () => {
  const { flags, io, ids, shown, journalDir, live } = await openNight();
  await reviewCommand({ ...flags, run: ids[0], drop: ["CLAUDE.md-0"] }, io);
  expect(decisionsIn(shown(1))).toEqual({ "AGENTS.md-0": { deed: "drop" } });
  // a later word for the other file is that file's own
  await reviewCommand({ ...flags, run: ids[1], reject: ["AGENTS.md-0=no"] }, io);
  expect(decisionsIn(shown(0))).toEqual({ "CLAUDE.md-0": { deed: "drop" } });
  await reviewCommand({ ...flags, run: ids[0], reject: ["CLAUDE.md-1=not that"] }, io);
  expect(decisionsIn(shown(1))["AGENTS.md-1"]).toEqual({ deed: "reject", reason: "not that" });
  expect(listWaiting(journalDir)).toEqual([]);
  expect(files.map(live)).toEqual(["# House\n", "# House\n"]);
});

test("what is adopted into one file goes into the other with the same command, and nothing else", async () => {
  const { flags, io, ids, text, live, journalDir } = await openNight();
  await adoptCommand({ ...flags, run: ids[0], accept: ["CLAUDE.md-1"] }, io);
  for (const name of files) expect(live(name)).toContain("- Say please.\n");
  for (const name of files) expect(live(name)).not.toContain("Use tabs.");
  expect(text()).toContain("CLAUDE.md");
  expect(text()).toContain("AGENTS.md");
  expect(listWaiting(journalDir)).toEqual([]);
});

test("without a choice both files get what is taken by default", async () => {
  const { flags, io, ids, live } = await openNight();
  await adoptCommand({ ...flags, run: ids[1] }, io);
  for (const name of files)
    for (const words of ["- Use tabs.\n", "- Say please.\n"]) expect(live(name)).toContain(words);
});
