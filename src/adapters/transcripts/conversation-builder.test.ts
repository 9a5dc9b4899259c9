import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { conversationBuilder } from "./conversation-builder.ts";
import { calledSkill, instantOf, skillsReadIn } from "./record-fields.ts";
import { readJsonLines } from "./json-lines.ts";

test("times in every form are one instant", () => {
  const instant = Date.UTC(2026, 10, 15, 7, 30);
  for (const form of [
    "2026-11-15T07:30:00Z",
    "2026-11-15T07:30:00.000Z",
    "2026-11-15T15:30:00+08:00",
    "2026-11-14T23:30:00-0800",
    "2026-11-15 07:30:00",
    "2026-11-15T07:30:00",
    instant,
    instant / 1000,
  ])
    expect(instantOf(form)).toBe(instant);
  for (const none of ["", "yesterday", "12", null, undefined, Number.NaN, -5, {}])
    expect(instantOf(none)).toBeUndefined();
});

test("lines are cut at line feeds only, and what is no whole object is passed over", async () => {
  const dir = await tempDir({
    "a.jsonl": `{"a":"x\u2028y"}\r\n\n[1]\nnot json\n{"b":"${"ü".repeat(100_000)}"}\n{"c":`,
  });
  expect(await readJsonLines(`${dir}/a.jsonl`)).toEqual([{ a: "x\u2028y" }, { b: "ü".repeat(100_000) }]);
});

test("fault 18: a skill has one name, however it is called", () => {
  expect(["team:style", "/style", "$style", " style ", "/team:style"].map(calledSkill)).toEqual(
    Array(5).fill("style"),
  );
  expect(
    skillsReadIn("cat '/a/skills/style/SKILL.md' b/SKILL.md && find . -name SKILL.md && ls */SKILL.md"),
  ).toEqual(["style", "b"]);
});

test("a record that is written twice counts once; the same words after a reply count again", () => {
  const builder = conversationBuilder({ id: "codex:1", source: "codex", changedAt: 7 });
  builder.inFolder("/p");
  for (const words of ["Again.", "Again."]) builder.prompt(words);
  builder.answer("Done.");
  builder.prompt("Again.");
  for (const path of ["/p/src/a.ts", "src/a.ts", "/q/b.ts"]) builder.file(path);
  expect(builder.finish()).toMatchObject({
    turns: [
      { prompt: "Again.", answer: "Done." },
      { prompt: "Again.", answer: "" },
    ],
    files: ["src/a.ts", "/q/b.ts"],
    startedAt: 7,
    endedAt: 7,
  });
});

test("what is said once a command of our plugin was called is about rules, and is left out", () => {
  const talk = (...prompts: readonly string[]) => {
    const builder = conversationBuilder({ id: "claude-code:1", source: "claude-code", changedAt: 7 });
    builder.inFolder("/p");
    for (const words of prompts) {
      builder.prompt(words);
      builder.answer("Done.");
    }
    return builder.finish();
  };
  expect(talk("Mend it.", "/whetstone:review", "Drop it.")).toMatchObject({
    turns: [{ prompt: "Mend it." }],
  });
  expect(talk("/whetstone:night by hand", "Yes.")).toEqual({
    skipped: "It started with a command of Whetstone's plugin.",
  });
});

test("a conversation that does not say where it was held is none", () => {
  const builder = conversationBuilder({ id: "codex:1", source: "codex", changedAt: 7 });
  builder.prompt("Hello.");
  expect(builder.finish()).toEqual({ skipped: "It doesn't say which folder it was in." });
});
