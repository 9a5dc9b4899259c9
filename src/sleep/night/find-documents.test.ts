import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { SourceName } from "../../core/ports/conversation.ts";
import { type DocumentPlaces, findDocuments } from "./find-documents.ts";

function newPlaces(files: Readonly<Record<string, string>> = {}) {
  const root = mkdtempSync(join(tmpdir(), "whetstone-documents-"));
  for (const [path, text] of Object.entries({ "home/.x": "", "project/.x": "", ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { project: join(root, "project"), home: join(root, "home"), skillRoots: [] };
}

const skillText = (name: string) => `---\nname: ${name}\ndescription: Writes ${name}.\n---\n\n- Be short.\n`;
const shown = async (sources: readonly SourceName[], places: DocumentPlaces, used: readonly string[] = []) =>
  (await findDocuments(used, sources, places)).documents.map(({ id }) => id);

test.each([
  ["claude-code", ["memory:CLAUDE.md", "personal:memory:.claude/CLAUDE.md"]],
  ["codex", ["memory:AGENTS.md", "personal:memory:.codex/AGENTS.md"]],
  ["gemini-cli", ["memory:GEMINI.md", "personal:memory:.gemini/GEMINI.md"]],
  ["cursor", ["memory:AGENTS.md"]],
] as const)("fault 30: %s has its own files of standing instructions", async (source, ids) => {
  expect(await shown([source], newPlaces())).toEqual(ids);
});

test("every agent of the conversations has a file that it reads, and one that imports another is left as it is", async () => {
  const importing = { "project/CLAUDE.md": "@AGENTS.md\n", "project/AGENTS.md": "# Shop\n" };
  const ofProject = async (sources: readonly SourceName[], places: DocumentPlaces) =>
    (await shown(sources, places)).filter((id) => id.startsWith("memory:"));
  expect(await ofProject(["claude-code", "codex"], newPlaces(importing))).toEqual(["memory:AGENTS.md"]);
  expect(await ofProject(["claude-code", "codex", "codex"], newPlaces())).toEqual([
    "memory:AGENTS.md",
    "memory:CLAUDE.md",
  ]);
  const allowed = { ...newPlaces({ "project/GEMINI.md": "" }), allowed: ["GEMINI.md"] };
  expect(await ofProject(["codex"], allowed)).toEqual(["memory:AGENTS.md", "memory:GEMINI.md"]);
});

test("a file that is a link to another counts as that one", async () => {
  const places = newPlaces({ "project/AGENTS.md": "# Shop\n" });
  symlinkSync("AGENTS.md", join(places.project, "CLAUDE.md"));
  const { documents } = await findDocuments([], ["claude-code", "codex"], places);
  const memories = documents.filter(({ scope }) => scope === "project");
  expect(
    memories.map(({ name, readBy }) => [name, readBy?.includes("claude-code"), readBy?.includes("codex")]),
  ).toEqual([["AGENTS.md", true, true]]);
});

test("a project's file that is a link out of it isn't read; the person's own may be a link", async () => {
  const places = newPlaces({ "outside.md": "The key is 77.", "home/.claude/x": "" });
  symlinkSync("../outside.md", join(places.project, "CLAUDE.md"));
  symlinkSync("../../outside.md", join(places.home, ".claude/CLAUDE.md"));
  const { documents, notes } = await findDocuments([], ["claude-code"], places);
  expect(documents.map(({ id, skill }) => [id, skill.files])).toEqual([
    ["personal:memory:.claude/CLAUDE.md", { "CLAUDE.md": "The key is 77." }],
  ]);
  expect(notes).toEqual([
    "CLAUDE.md is a link out of the project, so it isn't read and nothing is learned for it.",
  ]);
});

test("fault 18: a skill of a plugin's name is found by its own, and one in the project belongs to the project", async () => {
  const places = newPlaces({
    "project/.claude/skills/notes/SKILL.md": skillText("notes"),
    "home/.claude/skills/mail/SKILL.md": skillText("mail"),
  });
  const ids = await shown(["claude-code"], places, ["office:notes", "mail"]);
  expect(ids.slice(0, 2)).toEqual(["personal:skill:mail", "skill:notes"]);
});

test("fault 30: a plugin's copy, a name in two places and a name in none get no document", async () => {
  const places = newPlaces({
    "project/.claude/skills/twice/SKILL.md": skillText("twice"),
    "project/.agents/skills/twice/SKILL.md": skillText("twice"),
    "home/.claude/plugins/cache/office/skills/bought/SKILL.md": skillText("bought"),
  });
  const roots = [join(places.home, ".claude/plugins/cache/office/skills")];
  const found = await findDocuments(["twice", "bought", "gone", "../up"], ["claude-code"], {
    ...places,
    skillRoots: roots,
  });
  expect(found.documents.filter(({ kind }) => kind === "skill")).toEqual([]);
  expect(found.notes.join(" ")).toMatch(
    /can't be a folder's name.*bought belongs to a plugin.*gone was used.*twice is in several/s,
  );
});

test("fault 7: no skill is made up for rules that belong to none: they go where they are always read", async () => {
  const { documents } = await findDocuments([], ["claude-code"], newPlaces());
  expect(documents.every(({ kind }) => kind === "memory")).toBe(true);
});
