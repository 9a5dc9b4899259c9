import { expect, test } from "vitest";
import { tellTrimmed } from "./tell-trimmed.ts";

test("each name is told once for each agent", () => {
  const told: string[] = [];
  const tell = tellTrimmed(({ agent, removed }) => told.push(`${agent}: ${removed.join(" ")}`));
  const say = (agent: string, ...removed: readonly string[]) =>
    tell({ type: "request-trimmed", agent, removed });
  say("codex/m", "a");
  say("codex/m", "a", "b");
  say("codex/m", "b", "a");
  say("pi/m", "a");
  expect(told).toEqual(["codex/m: a", "codex/m: b", "pi/m: a"]);
});
