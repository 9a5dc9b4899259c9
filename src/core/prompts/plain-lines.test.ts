import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import { askModel } from "../stages/ask-model.ts";
import { analystError } from "./analyst-error.ts";
import { analystSuccess } from "./analyst-success.ts";
import { mine } from "./mine.ts";
import { parseReply } from "./parse-reply.ts";
import { contractIn } from "./plain-lines.ts";
import { ranking } from "./ranking.ts";

const plain = { contracts: "plain" } as const;
const usage = { inputTokens: 1, outputTokens: 1 };
const read = (text: string) => {
  const contract = contractIn(analystError, plain);
  if (contract === undefined) throw new Error("it is asked");
  const parsed = parseReply(contract, { text, finish: "stop", usage });
  return parsed.ok
    ? parsed.value.edits.map(({ op, target, content }) => ({ op, target, content }))
    : parsed.said;
};
const append = (content: string) => [{ op: "append", target: undefined, content }];

test("one line is one edit, whatever a small model puts around it", () => {
  expect(read("WHY: labels differ\nRULE: Write labels in capitals.")).toEqual(
    append("- Write labels in capitals."),
  );
  expect(read("Sure!\n\n**RULE:** Write labels in capitals.\nREPLACES: none")).toEqual(
    append("- Write labels in capitals."),
  );
  expect(read("- Rule: Be brief.\n- Rule: Be kind.")).toEqual(append("- Be brief."));
  expect(read("RULE: Be brief.\nREPLACES: Be long.")).toEqual([
    { op: "replace", target: "Be long.", content: "Be brief." },
  ]);
  expect(read('{"edits":[{"op":"append","content":"x"}]}')).toEqual(append("x"));
});

test("no rule is an answer; no line is none", () => {
  expect(read("WHY: all is said\nRULE: none")).toEqual([]);
  expect(read("RULE: (None.)")).toEqual([]);
  expect(read("I think the agent should try harder.")).toBe("it has not the lines that were asked for.");
});

test("contracts that a small model cannot answer are not asked for; those that a command is about still are", () => {
  expect(contractIn(ranking, plain)).toBeUndefined();
  expect(contractIn(mine, plain)).toBe(mine);
  expect(contractIn(ranking, {})).toBe(ranking);
  expect(contractIn(analystSuccess, plain)?.replyFormat).not.toContain("JSON");
});

test("in plain lines no response_format is sent, and the repair speaks of lines", async () => {
  const context = await scriptedContext((_, nth) => (nth === 1 ? "Hm." : "RULE: Be brief."), plain);
  const takesBody = new Set([context.models.optimizer]);
  const place = { role: "optimizer", step: 1, stage: "reflect" } as const;
  const answer = await askModel(analystError, "tasks", place, { ...context, takesBody });
  expect(answer?.edits).toHaveLength(1);
  expect(context.requests).toHaveLength(2);
  expect(context.requests[0]).not.toHaveProperty("body");
  expect(context.requests[1]?.messages.at(-1)?.content).toContain("the lines that were asked for");
  expect(await askModel(ranking, "pool", place, context)).toBeUndefined();
  expect(context.requests).toHaveLength(2);
});

test("where the JSON is unusable, plain lines are proposed; where lines are, another model", async () => {
  const nextOf = async (settings: object) => {
    const context = await scriptedContext(() => "Hm.", settings);
    await askModel(analystError, "tasks", { role: "optimizer", step: 0, stage: "preflight" }, context);
    return context.events.flatMap((event) => (event.type === "reply-unusable" ? [event.next] : []))[0];
  };
  expect(await nextOf({})).toContain("--contracts plain");
  expect(await nextOf(plain)).not.toContain("--contracts plain");
});
