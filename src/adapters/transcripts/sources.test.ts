import { expect, test } from "vitest";
import { openSources } from "./sources.ts";

const four = ["claude-code", "codex", "opencode", "pi"] as const;
const placesOf = (options: Parameters<typeof openSources>[0]) =>
  openSources(options, four).map(({ name, place }) => [name, place]);

test("sources are looked for where the agents keep their files", () => {
  expect(placesOf({ home: "/home/me", env: {} })).toEqual([
    ["claude-code", "/home/me/.claude/projects"],
    ["codex", "/home/me/.codex"],
    ["opencode", "/home/me/.local/share/opencode/opencode.db"],
    ["pi", "/home/me/.pi/agent/sessions"],
  ]);
});

test("the agents' own variables move them, and settings move them before those", () => {
  const env = { CLAUDE_CONFIG_DIR: "/c", CODEX_HOME: "/x", XDG_DATA_HOME: "/d", PI_CODING_AGENT_DIR: "" };
  expect(placesOf({ home: "/home/me", env, places: { codex: "/mine" } })).toEqual([
    ["claude-code", "/c/projects"],
    ["codex", "/mine"],
    ["opencode", "/d/opencode/opencode.db"],
    ["pi", "/home/me/.pi/agent/sessions"],
  ]);
});

test("only the sources that were asked for are opened", () => {
  expect(openSources({ home: "/home/me", env: {} }, ["pi"]).map(({ name }) => name)).toEqual(["pi"]);
});
