import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { findingLines } from "./doctor-command.ts";

test("a finding that is longer than the terminal is wide goes on below itself", () => {
  const lines = findingLines(
    {
      about: "target",
      status: "warn",
      text: "ollama/llama3.2 is at localhost:11434, and answered in 483 ms with a page for people",
      next: "Name the address of the API, such as http://localhost:11434/v1, with --base-url.",
    },
    60,
  ).map(stripVTControlCharacters);
  expect(lines).toEqual([
    "warn  target           ollama/llama3.2 is at",
    "                       localhost:11434, and answered in 483",
    "                       ms with a page for people",
    "      next: Name the address of the API, such as",
    "        http://localhost:11434/v1, with --base-url.",
  ]);
});
