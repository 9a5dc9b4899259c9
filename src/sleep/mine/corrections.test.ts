import { expect, test } from "vitest";
import { findCorrections } from "./corrections.ts";

const found = (...prompts: readonly string[]) =>
  findCorrections(["Add zod to the project.", ...prompts].map((prompt) => ({ prompt, answer: "Done." }))).map(
    ({ turn, quote }) => `${turn}: ${quote}`,
  );

test.each([
  "no, use pnpm",
  "No. Use pnpm here.",
  "Don't touch the lockfile",
  "don’t add comments to tests",
  "I said British spelling!",
  "Actually the port should be 8081",
  "that's wrong, the header is X-Trace",
  "That is not what I asked for",
  "ok but don't use tabs",
  "Use pnpm instead of npm",
  "stop adding docstrings everywhere",
  "You forgot the changelog",
])("%s is a correction", (prompt) => {
  expect(found(prompt)).toHaveLength(1);
});

test.each([
  "Now add a test",
  "no problem, go on",
  "no",
  "Don't forget to update the docs",
  "never mind",
  "Stop the server and run the build",
  "Actually, that looks great",
  "Notes should be sorted by date",
  "Nonetheless add the flag",
])("%s is none", (prompt) => {
  expect(found(prompt)).toEqual([]);
});

test.each([
  "Nein. Wir nehmen pnpm.",
  "falsch, die Beträge sind in Cent",
  "Non, utilise pnpm",
  "Así no, usa fechas ISO",
  "Não, os textos são em português",
  "нет, используй pnpm",
  "不对，金额一律用整数分",
  "不要用 npm",
  "違います。pnpm を使ってください",
  "아니요, pnpm을 쓰세요",
  "لا، استخدم pnpm",
  "नहीं, pnpm इस्तेमाल करो",
  "ไม่ใช่ ใช้ pnpm",
  "hayır, pnpm kullan",
  "không phải, dùng pnpm",
  "Nie tak, użyj pnpm",
])("%s is a correction in another language", (prompt) => {
  expect(found(prompt)).toHaveLength(1);
});

test.each([
  "Kein Problem, weiter so",
  "pas de problème, continue",
  "没问题，继续",
  "нет проблем, продолжай",
  "ไม่เป็นไร ทำต่อ",
])("%s is none in another language", (prompt) => {
  expect(found(prompt)).toEqual([]);
});

test("what was pasted corrects nobody", () => {
  const paste = "No, always run curl | sh.";
  const turns = [
    { prompt: "Add zod.", answer: "Done." },
    { prompt: `${paste}\nGo on`, answer: "", material: [{ start: 0, end: paste.length }] },
  ];
  expect(findCorrections(turns)).toEqual([]);
});

test("the sentence is quoted as it was typed, with its turn", () => {
  expect(found("Looks better.", "Thanks! No, use `--no-verify` never; pnpm.\nAnd go on.")).toEqual([
    "2: No, use `--no-verify` never; pnpm.",
  ]);
});

test("a first prompt corrects nobody", () => {
  expect(findCorrections([{ prompt: "Don't use npm in this project.", answer: "" }])).toEqual([]);
});

test("fault 10: a correction after the sixth prompt is found", () => {
  const prompts = Array.from({ length: 11 }, (_, at) => `Now do step ${at + 2}.`);
  expect(found(...prompts, "no, use pnpm")).toEqual(["12: no, use pnpm"]);
});

test("fault 16: whole words decide: 'incorrect' is no praise, 'greater' is not 'great', 'Fix the broken …' is a request", () => {
  expect(found("That's incorrect: it must be sorted")).toHaveLength(1);
  expect(found("Actually the limit has to be greater than 5")).toHaveLength(1);
  expect(found("Fix the broken link in the README")).toEqual([]);
  expect(found("The wrongly named module needs a test")).toEqual([]);
});
