import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { controlAnswers } from "../src/core/judge/controls.ts";
import { train } from "../src/index.ts";
import { type ChatWorld, startScriptedServer } from "../src/testing/index.ts";
import { tempDir } from "./support/temp-dir.ts";

const fixture = join(import.meta.dirname, "fixtures/real-run/few");
const read = (name: string): string => readFileSync(join(fixture, name), "utf8");

/** Writes an update as the skill's text says: a label, no apology and a time only if it has these rules. */
function writeUpdate(skill: string, request: string): string {
  const isRunning = !/\b(?:close|resolved)\b/.test(request);
  const hasLabel = skill.includes("label in square brackets") && (isRunning || skill.includes("[Resolved]"));
  return [
    hasLabel ? "[State]" : "Update",
    "Dear customers: these are the facts.",
    ...(isRunning && /not apologise/.test(skill) ? [] : ["Sorry for that."]),
    ...(isRunning && skill.includes("Next update: HH:MM UTC") ? ["Next update: 12:00 UTC"] : []),
  ].join("\n");
}

/** Whether an update meets an expectation; whatever isn't an update meets none. */
function meets(expectation: string, answer: string): boolean {
  if (controlAnswers.includes(answer)) return true;
  if (!answer.includes("Dear customers")) return false;
  if (expectation.includes("begins with the label")) return answer.startsWith("[State]");
  if (expectation.includes("when the next update comes")) return answer.includes("Next update: ");
  if (expectation.includes("promises no next update")) return !answer.includes("Next update: ");
  if (expectation.includes("no apology")) return !answer.includes("Sorry");
  return true;
}

const between = (word: string, text: string): string =>
  new RegExp(`BEGIN ${word} (\\w+)\\n([^]*?)\\nEND ${word} \\1`).exec(text)?.[2] ?? "";

const nothing = { reasoning: "", failure_summary: [], edits: [] };

/** The recorded replies of the optimizer, with a target that obeys its rules and a judge that sees whether it did. */
function recordedWorld(): ChatWorld {
  const recorded = JSON.parse(read("optimizer.json")) as Record<string, readonly unknown[]>;
  return {
    reply({ model, system, messages }) {
      const user = messages.at(-1)?.content ?? "";
      if (model.includes("target")) return { text: writeUpdate(system, user) };
      if (model.includes("judge")) {
        const score = meets(between("rubric", user), between("answer", user)) ? 1 : 0;
        return { text: JSON.stringify({ reason: "", score }) };
      }
      const contract = /Contract: (\w+)/.exec(system)?.[1] ?? "";
      const [first, later = first] = recorded[contract] ?? [];
      // the analyst has nothing more to say once its rules are tried
      return { text: JSON.stringify((user.includes("label in square brackets") ? later : first) ?? nothing) };
    },
  };
}

test("the rules of a real run on fourteen evals with several expectations are kept", async () => {
  const server = await startScriptedServer({ seed: 1, world: recordedWorld() });
  onTestFinished(() => server.close());
  const cwd = await tempDir({ "SKILL.md": read("SKILL.md"), "evals.json": read("evals.json") });
  const run = await train({
    cwd,
    skill: "SKILL.md",
    tasks: "evals.json",
    target: "openai-compatible/target",
    optimizer: "openai-compatible/optimizer",
    judge: "openai-compatible/judge",
    baseURL: `${server.url}/v1`,
    spend: { calls: 5000 },
    epochs: 2,
  });
  // resolved posts need a label that the recorded rules don't name; so few tasks aren't divided
  expect(run.summary.test).toMatchObject({ original: 0, best: 11 / 14, tasks: 14, seen: true });
  expect(run.verdict).toBe("higher");
  expect(run.summary.rules?.isCredit).toBe(true);
  expect(run.oneShot?.sentence).toContain(
    "One-shot rewrite: 100.0% on these tasks (14 of 14), the trained text 78.6%.",
  );
  expect(run.best.text).toContain("label in square brackets");
  expect(run.best.text).toContain("Do not apologise while");
  expect(run.best.text).toContain("Next update: HH:MM UTC");
});
