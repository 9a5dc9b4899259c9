import fc from "fast-check";
import { expect, test } from "vitest";
import { type InstructionFile, filesFor, filesRead, instructionFiles } from "./agent-files.ts";

const file = (path: string, text = "# Shop\n"): InstructionFile => ({ path, text });
const paths = (...given: Parameters<typeof filesFor>) => filesFor(...given).map(({ path }) => path);

test.each([
  ["claude-code", "CLAUDE.md"],
  ["codex", "AGENTS.md"],
  ["gemini-cli", "GEMINI.md"],
  ["copilot-cli", ".github/copilot-instructions.md"],
  ["some-other-agent", "AGENTS.md"],
])("where nothing is there, %s gets the file that it reads", (agent, path) => {
  expect(paths({ agents: [agent], files: [] })).toEqual([path]);
});

test("whoever uses two agents has a rule in both of their files", () => {
  const files = [file("CLAUDE.md"), file("AGENTS.md")];
  expect(paths({ agents: ["claude-code", "codex"], files }).toSorted()).toEqual(["AGENTS.md", "CLAUDE.md"]);
});

test.each([
  ["imports it", file("CLAUDE.md", "# Shop\n\n@AGENTS.md\n")],
  ["imports it in a sentence", file("CLAUDE.md", "See @./AGENTS.md for the rest.")],
  ["is a link to it", { ...file("CLAUDE.md"), linkTo: "AGENTS.md" }],
])("a file that %s is not written beside it", (_, claude) => {
  const files = [claude, file("AGENTS.md")];
  expect(paths({ agents: ["claude-code", "codex"], files })).toEqual(["AGENTS.md"]);
  expect(paths({ agents: ["claude-code"], files })).toEqual(["AGENTS.md"]);
});

test("an import in code is none, nor one that the agent does not follow", () => {
  const inCode = [file("CLAUDE.md", "Not `@AGENTS.md`:\n\n```\n@AGENTS.md\n```\n"), file("AGENTS.md")];
  expect(filesRead("claude-code", inCode)).toEqual(["CLAUDE.md"]);
  const pointing = [file("AGENTS.md", "@CLAUDE.md\n"), file("CLAUDE.md")];
  expect(filesRead("codex", pointing)).toEqual(["AGENTS.md"]);
});

test("files that import each other end", () => {
  const files = [file("CLAUDE.md", "@GEMINI.md"), file("GEMINI.md", "@CLAUDE.md")];
  expect(paths({ agents: ["claude-code", "gemini-cli"], files })).toHaveLength(1);
});

test("one file that all agents of the history read is enough", () => {
  const files = [file("AGENTS.md"), file("CLAUDE.md")];
  expect(paths({ agents: ["codex", "pi", "opencode", "copilot-cli"], files })).toEqual(["AGENTS.md"]);
  expect(paths({ agents: ["claude-code", "copilot-cli"], files })).toEqual(["CLAUDE.md"]);
});

test("another agent's file is written only when it was allowed by name, and not for one who reads the rule anyway", () => {
  const files = [file("CLAUDE.md"), file("AGENTS.md")];
  expect(paths({ agents: ["claude-code"], files })).toEqual(["CLAUDE.md"]);
  expect(paths({ agents: ["claude-code"], files, allowed: ["AGENTS.md"] })).toEqual([
    "CLAUDE.md",
    "AGENTS.md",
  ]);
  const importing = [file("CLAUDE.md", "@AGENTS.md"), file("AGENTS.md")];
  expect(paths({ agents: ["codex"], files: importing, allowed: ["CLAUDE.md"] })).toEqual(["AGENTS.md"]);
});

test("whatever is there and whoever was used, each agent reads the rule, and no file of others is touched", () => {
  const agents = ["claude-code", "codex", "opencode", "cursor", "copilot-cli", "pi", "gemini-cli"];
  const somePaths = fc.subarray([...instructionFiles]);
  const text = fc.subarray(instructionFiles.map((path) => `@${path}`)).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(
      fc.subarray(agents, { minLength: 1 }),
      somePaths,
      fc.array(text, { minLength: 8 }),
      (used, there, texts) => {
        const files = there.map((path, at) => file(path, texts[at] ?? ""));
        const written = filesFor({ agents: used, files });
        for (const agent of used)
          expect(written.some(({ path }) => filesRead(agent, files).includes(path))).toBe(true);
        for (const { readBy } of written) expect(readBy.some((agent) => used.includes(agent))).toBe(true);
        // none of them could be left out
        expect(new Set(written.map(({ path }) => path)).size).toBe(written.length);
      },
    ),
  );
});
