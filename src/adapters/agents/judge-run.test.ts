import { expect, test } from "vitest";
import type { AgentReading } from "./agent-cli.ts";
import { judgeRun } from "./judge-run.ts";
import type { CliRun } from "./run-cli.ts";

const cli = { name: "claude-code", login: "claude /login", packageName: "@anthropic-ai/claude-code" };
const limits = { turns: 9, calls: 9, tokens: 9, seconds: 9, memoryMb: 9, processes: 9, diskMb: 9 };
const reading: AgentReading = { text: "", toolCalls: [], conversation: [], offered: [], loaded: [] };
const run: CliRun = {
  reading,
  facts: {
    calls: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    waitedMs: 0,
    host: "127.0.0.1",
    heldMs: 0,
    failures: [],
    failuresInRow: 0,
    removed: [],
  },
  result: { exitCode: 0, stdout: "", stderr: "", ended: "exit", ms: 1 },
  stopped: undefined,
  changed: {},
  pays: "login",
};
const saying = (message: string, status?: number): CliRun => ({
  ...run,
  reading: { ...reading, failure: { message, ...(status === undefined ? {} : { status }) } },
});
const error = (seen: CliRun): unknown => {
  try {
    return judgeRun(cli, seen, limits);
  } catch (thrown) {
    return thrown;
  }
};

test.each([
  "Not logged in · Please run /login",
  "Your access token could not be refreshed: refresh_token_reused",
  "token_expired: Provided authentication token is expired",
])("%s: only a person can help", (message) => {
  expect(error(saying(message))).toMatchObject({ class: "refused", hint: "Log in again: claude /login" });
});

test("a model that this account has not got is refused", () => {
  const message = "The 'm' model is not supported when using this account.";
  expect(error(saying(message, 400))).toMatchObject({ class: "refused", retryable: false });
});

test("a CLI that is too old says how to get a newer one", () => {
  expect(error(saying("This model requires a newer version of the CLI.", 400))).toMatchObject({
    class: "refused",
    hint: "Update it: npm install -g @anthropic-ai/claude-code@latest",
  });
});

test("what the proxy saw last counts more than what the CLI says", () => {
  const failures = [{ class: "throttle", status: 429, message: "slow down", retryAfterMs: 9 }] as const;
  const seen = { ...saying("API Error"), facts: { ...run.facts, failures, failuresInRow: 1 } };
  expect(error(seen)).toMatchObject({ class: "throttle", status: 429, retryAfterMs: 9 });
});

test("a failure that was overcome is none", () => {
  const failures = [{ class: "throttle", status: 429, message: "slow down" }] as const;
  const seen: CliRun = {
    ...run,
    reading: { ...reading, ended: "done" },
    facts: { ...run.facts, failures, failuresInRow: 0 },
  };
  expect(error(seen)).toBe("done");
});

test("a cut answer whose rest met an outage is the world's failure", () => {
  const failures = [{ class: "throttle", status: 529, message: "overloaded" }] as const;
  const cut: CliRun = { ...run, reading: { ...reading, ended: "length" } };
  expect(error(cut)).toBe("length");
  expect(error({ ...cut, facts: { ...run.facts, failures, failuresInRow: 1 } })).toMatchObject({
    status: 529,
  });
});

test("exit code 0 without a result is a failure", () => {
  expect(error(run)).toMatchObject({
    class: "transport",
    message: expect.stringContaining("without a result"),
  });
});

test("the box's own limits are outcomes", () => {
  expect(error({ ...run, result: { ...run.result, ended: "memory", exitCode: null } })).toBe("memory");
});
